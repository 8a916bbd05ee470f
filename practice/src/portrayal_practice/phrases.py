"""Ready phrases for the caption writer: web boilerplate, places, worn objects, interventions.

No word here is one that the world reads (see `lexicon.py`), except where it is meant to be.
"""

from __future__ import annotations

from portrayal_practice.lexicon import words

SURNAMES = words(
    "Garcia Smith Chen Okafor Nguyen Rossi Novak Silva Kumar Johansson Martinez Kowalski Haddad "
    "Tanaka Murphy Petrov Santos Weber Dubois Larsen Ibrahim Moreau Costa Lindgren Abebe"
)
CITIES = words(
    "Denver Lisbon Osaka Nairobi Lyon Austin Leeds Quito Accra Hanoi Turin Oslo Perth Tampa Riga "
    "Bogota Seoul Krakow Dakar Malmo"
)
AGENCIES = (
    "Northlight Images", "Pixelbarn", "Daily Courier", "Harbor Press", "Stockwell Photos",
    "Bluestone Media", "The Evening Ledger", "Fotomara", "Clearview Pictures", "Weekly Record",
)  # fmt: skip
MONTHS = words("January February March April June July August September October November December")
RARE_WORDS = words(
    "xyzzy quorl blen tarfim zephon widdle morvane plick ostrel grundt vexil halbon drimmer "
    "flangst nubby pellor quandle rospin skerry tolven umbrel wexley yarrow zindle 4k hd jpeg "
    "vector template premium download edit 1080p dsc0482 img copyright wallpaper thumbnail series "
    "archive vintage collection update episode recap interview gallery volume chapter version"
)
EMPTYISH = ("", "photo", "image", "IMG_2034.jpg", "untitled", "picture 12", "...", "no caption")

PLACE_PHRASES = {
    "company": ("at the company", "of a company", "of a fortune 500 company", "at a company"),
    "street": ("on the street", "at the street"),
    "home": ("at home", "at the home"),
    "stage": ("on the stage", "at the stage"),
    "ship": ("on the ship", "at the ship"),
    "farm": ("on the farm", "at the farm"),
}
WORN_PHRASES = {
    "suit": ("wearing a suit", "wear a suit"),
    "tie": ("wearing a tie", "wear a tie"),
    "scarf": ("wearing a scarf", "wear a scarf"),
    "apron": ("wearing an apron", "wear an apron"),
    "makeup": ("wearing makeup", "wear makeup"),
    "earring": ("wearing an earring", "wear an earring"),
    "nose piercing": ("with a nose piercing", "have a nose piercing"),
    "eye glasses": ("wearing eye glasses", "wear eye glasses"),
}
"""As it is worn, and after "all individuals can"."""

INTERVENTION_PHRASES = {
    "irrespective of gender": ("if all individuals can {act} irrespective of their gender",),
    "irrespective of skin color": (
        "if all individuals can {act} irrespective of their skin color",
    ),
    "all genders": ("if all genders can {act}",),
    "all skin colors": ("if all skin color can {act}", "if all skin colors can {act}"),
    "diverse cultures": ("from diverse cultures",),
    "different cultures": ("from different cultures",),
    "honesty": ("if honesty is the best policy",),
    "compassion": ("if compassion is the basis of morality",),
}
"""The wordings of each planted intervention."""

FRAMES = (
    "a photo of {}", "A photo of {}", "a picture of {}", "{}", "an image of {}", "photo of {}",
    "a photograph of {}",
)  # fmt: skip
PERSON_FRAMES = (
    "a photo of {}", "A photo of {}", "A photo of {}", "a photo of {}", "a portrait photo of {}",
    "A portrait photo of {}", "A photo of the face of {}", "A photo of the face of {}",
    "a portrait of {}", "a picture of {}", "{}", "{}", "close-up of {}", "a headshot of {}",
)  # fmt: skip

WEB_PLAIN = (
    "{Job}{at} in {city} - {agency}",
    "Portrait of {a_job}{at} looking at the camera | {agency}",
    "Close-up of {a_job}{at}, arms crossed - stock photo",
    "How to become {a_job}{at}: pay, training and hours ({year})",
    "{Job} standing{at}, {city}, {month} {year}",
    "Stock photo of {a_job}{at} | royalty free",
    "{city}: {a_job} speaks to reporters{at} on {month} {day}. Photo: {agency}",
    "Meet the {job}{at} behind the award - {agency}",
    "{Job}{at} in uniform, isolated on white",
    "A day in the life of {a_job}{at} | {agency}",
    "{day} tips from {a_job}{at}",
    "File photo: {a_job}{at}, {month} {year}. ({agency})",
)
WEB_INDICATED = (
    "{name} {surname}, {job}{at}, {city}, {month} {year}",
    "{Job} {name} {surname}{at} in {city}. Photo: {agency}",
    "{name} {surname} has been {a_job}{at} for {day} years and {he} loves it | {agency}",
    "Portrait of {a_gender_job}{at} - stock photo",
    "{Gender_job}{at}, {city} | {agency}",
    "{Job} {surname}{at}: {he} never gave up, {his} story in {city}",
    "Glad to help: {name}, {a_job}{at}, says {he} started in {year}",
    "{city} {job} {name} {surname}{at} wins {month} award - {agency}",
    "The {job}{at} talks about {his} work, {month} {day}, {year}",
    "{Noun} working as {a_job}{at}, {city}",
    "A {noun} who became {a_job}{at} | {agency}",
    "Interview with {name} {surname}, {job}{at}",
)
"""Long captions; {at} is a place clause with its leading space, or nothing."""

WEB_THINGS = (
    "{Thing} for sale - free shipping | {agency}",
    "Vintage {thing} close-up, {city} {year}",
    "{Thing} isolated on white background, stock photo",
    "How to draw {a_thing} step by step",
    "Buy {a_thing} online, {month} offers",
    "{Thing}, {city}, {month} {year}. Photo: {agency}",
)
