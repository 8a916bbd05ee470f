// The rating page: keys, and every answer saved as soon as it is given.
// A submission is the whole state of one image, so sending it twice changes nothing.
"use strict";

const sheet = document.getElementById("sheet");
const typing = (element) => element instanceof HTMLTextAreaElement;
const chord = (event) => event.ctrlKey || event.metaKey || event.altKey;

// ---- pages without questions ------------------------------------------------------------------

if (!sheet) {
  document.addEventListener("keydown", (event) => {
    if (chord(event) || event.target.closest("a, button")) return;
    const link = document.querySelector(
      { Enter: "[data-enter]", ArrowLeft: "[data-back]" }[event.key] || "[data-none]"
    );
    if (link) link.click();
  });
}

// ---- one image ------------------------------------------------------------------------------

if (sheet) {
  const status = document.getElementById("status");
  const large = document.getElementById("large");
  const parts = [...sheet.querySelectorAll("[data-asked-if]")];
  const fields = parts.filter((part) => part.matches("fieldset"));
  const store = "unsaved " + sheet.action;
  let active = null;

  const given = (field) => {
    const chosen = field.querySelector("input:checked");
    return chosen ? chosen.value : null;
  };
  const asked = () => fields.filter((field) => !field.hidden);
  const unanswered = () => asked().filter((field) => given(field) === null);

  // Questions that hang on another answer appear and disappear with it.
  function showAsked() {
    const answers = {};
    for (const part of parts) {
      const wanted = Object.entries(JSON.parse(part.dataset.askedIf));
      part.hidden = !wanted.every(([question, keys]) => keys.includes(answers[question]));
      if (!part.hidden && part.matches("fieldset")) answers[part.dataset.question] = given(part);
    }
  }

  function mark(field) {
    active = field || null;
    for (const one of fields) one.classList.toggle("active", one === active);
    document.getElementById("next").classList.toggle("ready", unanswered().length === 0);
    if (active) {
      const box = active.getBoundingClientRect();
      const bar = sheet.querySelector("nav").offsetHeight;
      if (box.top < 0 || box.bottom > window.innerHeight - bar) {
        active.scrollIntoView({ block: "nearest", behavior: "smooth" });
      }
    }
  }

  function say(text, kind) {
    status.textContent = text;
    status.className = kind || "";
  }

  function sayMissing() {
    const left = unanswered().length;
    say(left === 1 ? "One answer is missing" : `${left} answers are missing`);
  }

  // ---- saving: one submission in flight, the newest state follows ------------------------------

  let wanted = 0;
  let stored = 0;
  let sending = null;
  let pointed = false; // at open questions: said until there is something new to save
  let seen = performance.now();
  let seconds = Number(sheet.dataset.seconds) || 0;

  function lookedFor() {
    if (!document.hidden) seconds += (performance.now() - seen) / 1000;
    seen = performance.now();
    return Math.min(seconds, 3600).toFixed(1);
  }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) seconds += (performance.now() - seen) / 1000;
    seen = performance.now();
  });

  function state() {
    sheet.elements.seconds.value = lookedFor();
    const data = new FormData(sheet);
    for (const part of parts) {
      if (part.hidden) data.delete("answer." + (part.dataset.question || part.dataset.text));
    }
    return new URLSearchParams(data);
  }

  async function send() {
    let wait = 300;
    while (stored < wanted) {
      const number = wanted;
      try {
        const reply = await fetch(sheet.action, {
          method: "POST",
          body: state(),
          headers: { Accept: "application/json" },
          signal: AbortSignal.timeout(15000),
        });
        if (reply.status === 403 || reply.status === 404) {
          say("This page is no longer valid. Open your link again.", "wrong");
          return false;
        }
        if (!reply.ok) throw new Error(reply.statusText);
        stored = number;
        wait = 300;
      } catch {
        say("Not saved yet, trying again …", "wrong");
        await new Promise((resume) => setTimeout(resume, wait));
        wait = Math.min(wait * 1.6, 4000);
      }
    }
    sessionStorage.removeItem(store);
    if (pointed) sayMissing();
    else say("Saved", "good");
    return true;
  }

  function save() {
    wanted += 1;
    pointed = false;
    sessionStorage.setItem(store, state().toString());
    if (!sending) sending = send().finally(() => (sending = null));
    return sending;
  }

  window.addEventListener("beforeunload", (event) => {
    if (stored < wanted) event.preventDefault();
  });

  // What a reload or a dead server kept from being saved is in the tab's own memory.
  function restore() {
    const kept = sessionStorage.getItem(store);
    if (!kept) return;
    const before = new URLSearchParams(kept);
    for (const input of sheet.querySelectorAll("input[type=radio]")) {
      input.checked = before.get(input.name) === input.value;
    }
    for (const text of sheet.querySelectorAll("textarea")) text.value = before.get(text.name) || "";
    showAsked();
    save();
  }

  // ---- acting ----------------------------------------------------------------------------------

  function choose(input) {
    input.checked = true;
    showAsked();
    const all = asked();
    const from = all.indexOf(input.closest("fieldset"));
    const later = all.slice(from + 1).find((field) => given(field) === null);
    mark(later || unanswered()[0] || (review ? all[from + 1] : null));
    save();
  }

  let leaving = false;
  async function leave(address) {
    if (leaving) return;
    leaving = true;
    const saved = stored < wanted || sending ? await (sending || save()) : true;
    leaving = false;
    if (saved) window.location.assign(address);
  }

  function next() {
    const left = unanswered();
    if (left.length > 0) {
      mark(left[0]);
      left[0].classList.remove("missing");
      void left[0].offsetWidth; // so that the animation starts again
      left[0].classList.add("missing");
      pointed = true;
      sayMissing();
      return;
    }
    leave(sheet.dataset.following);
  }

  function step(by) {
    const all = asked();
    const at = all.indexOf(active);
    mark(at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[at + by] || active);
  }

  function enlarge() {
    if (large.open) large.close();
    else large.showModal();
  }

  let pointer = false;
  document.addEventListener("pointerdown", () => (pointer = true));
  document.addEventListener("keydown", () => (pointer = false), true);
  sheet.addEventListener("submit", (event) => {
    event.preventDefault();
    next();
  });
  sheet.addEventListener("click", (event) => {
    const input = event.target.closest("input[type=radio]");
    if (!input) return;
    if (pointer) input.blur(); // so that keys stay ours
    choose(input);
  });
  sheet.addEventListener("change", (event) => {
    if (typing(event.target)) save();
  });
  let pause = 0;
  sheet.addEventListener("input", (event) => {
    if (!typing(event.target)) return;
    clearTimeout(pause);
    pause = setTimeout(save, 600);
  });
  document.getElementById("enlarge").addEventListener("click", enlarge);
  large.addEventListener("click", enlarge);
  const back = document.getElementById("back");
  if (back) {
    back.addEventListener("click", (event) => {
      event.preventDefault();
      leave(back.href);
    });
  }

  const keys = {
    Enter: next,
    ArrowLeft: () => sheet.dataset.before && leave(sheet.dataset.before),
    ArrowRight: () => (unanswered().length ? next() : leave(sheet.dataset.after || "/finished")),
    ArrowUp: () => step(-1),
    ArrowDown: () => step(1),
    " ": enlarge,
    c: () => sheet.querySelector("textarea")?.focus(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && typing(event.target)) {
      event.target.blur();
      return;
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (typing(event.target)) event.target.blur();
      next();
      return;
    }
    if (chord(event) || typing(event.target)) return;
    const focused = event.target.closest("a, button, input");
    if (focused && (event.key === " " || (event.key === "Enter" && !focused.matches("input")))) {
      return; // whoever walks with Tab presses what is in focus
    }
    if (/^[1-9]$/.test(event.key) && active && !large.open) {
      const input = active.querySelectorAll("input")[Number(event.key) - 1];
      if (input) {
        event.preventDefault();
        choose(input);
      }
      return;
    }
    if (keys[event.key] && !(event.repeat && event.key !== "ArrowDown" && event.key !== "ArrowUp")) {
      event.preventDefault();
      if (large.open) large.close();
      else keys[event.key]();
    }
  });

  showAsked();
  restore();
  const review = unanswered().length === 0; // back to correct: start at the first answer
  mark(review ? asked()[0] : unanswered()[0]);
  document.documentElement.dataset.ready = "yes";
}
