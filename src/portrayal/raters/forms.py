"""Forms for other rating tools, written from the questions."""

from __future__ import annotations

from html import escape
from xml.sax.saxutils import quoteattr

from portrayal.raters.questions import Question, QuestionSet


def label_studio(questions: QuestionSet) -> str:
    """Return a labeling configuration for Label Studio.

    An answer's alias is its key, so that exports hold what we store.
    """
    lines = ["<View>", '  <Image name="image" value="$image"/>']
    for question in questions.questions:
        text = quoteattr(question.wording("$attribute"))
        lines += [f"  <View{_visible(question, questions)}>", f"    <Header value={text}/>"]
        if question.help:
            lines.append(f'    <Text name="help-{question.id}" value={quoteattr(question.help)}/>')
        if question.answers:
            name = quoteattr(question.id)
            lines.append(
                f'    <Choices name={name} toName="image" choice="single" required="true">'
            )
            lines += [
                f"      <Choice value={quoteattr(answer.text)} alias={quoteattr(answer.key)}/>"
                for answer in question.answers
            ]
            lines.append("    </Choices>")
        else:
            lines.append(f'    <TextArea name={quoteattr(question.id)} toName="image"/>')
        lines.append("  </View>")
    return "\n".join([*lines, "</View>"]) + "\n"


def mturk(questions: QuestionSet) -> str:
    """Return a page for Mechanical Turk; a radio button's value is the answer's key."""
    lines = [
        '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>',
        "<crowd-form>",
        f"  <p>{escape(questions.introduction)}</p>" if questions.introduction else "",
        '  <p><img src="${image}" alt="The image to rate" style="max-width: 100%"></p>',
    ]
    for question in questions.questions:
        # ${attribute_html} comes escaped from tasks.csv; the text around it is escaped here.
        text = escape(question.text).replace("{attribute}", "${attribute_html}")
        lines += ["  <fieldset>", f"    <legend>{text}{_condition(question, questions)}</legend>"]
        if question.help:
            lines.append(f"    <p><small>{escape(question.help)}</small></p>")
        need = "" if question.asked_if else " required"
        lines += [
            f'    <p><label><input type="radio" name="{escape(question.id)}" '
            f'value="{escape(answer.key)}"{need}> {escape(answer.text)}</label></p>'
            for answer in question.answers
        ]
        if not question.answers:
            lines.append(f'    <textarea name="{escape(question.id)}" rows="2"></textarea>')
        lines.append("  </fieldset>")
    return "\n".join([line for line in lines if line] + ["</crowd-form>"]) + "\n"


def _visible(question: Question, questions: QuestionSet) -> str:
    """Return the attributes that hide a question until another one is answered so.

    Label Studio takes one condition; a second one is left to the raters.
    """
    for name, keys in list(question.asked_if.items())[:1]:
        shown = {answer.key: answer.text for answer in questions[name].answers}
        values = quoteattr(",".join(shown[key] for key in keys))
        return (
            f' visibleWhen="choice-selected" whenTagName={quoteattr(name)} whenChoiceValue={values}'
        )
    return ""


def _condition(question: Question, questions: QuestionSet) -> str:
    """Say when a question is to be answered, where the page cannot hide it."""
    parts = []
    for name, keys in question.asked_if.items():
        shown = {answer.key: answer.text for answer in questions[name].answers}
        said = " or ".join(shown[key] for key in keys)
        parts.append(f"“{escape(questions[name].text)}” is {escape(said)}")
    return f" <small>(only if {' and '.join(parts)})</small>" if parts else ""
