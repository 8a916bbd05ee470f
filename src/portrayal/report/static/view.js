// The viewer works without this script; with it, filters apply at once and keys are enough.
for (const form of document.querySelectorAll("form[data-filter]")) {
  form.addEventListener("change", () => form.requestSubmit());
  // Fields that are empty need not stand in the address.
  form.addEventListener("submit", () => {
    for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  });
}
addEventListener("pageshow", () => document.querySelectorAll("form[data-filter] :disabled").forEach(field => { field.disabled = false; }));
const follow = rel => { const link = document.querySelector(`a[rel=${rel}]`); if (link) link.click(); };
// The image in the row above or below is the one whose middle is nearest.
function beside(from, key) {
  const all = [...document.querySelectorAll("a.thumb")];
  if (key === "ArrowLeft" || key === "ArrowRight") return all[all.indexOf(from) + (key === "ArrowRight" ? 1 : -1)];
  const middle = one => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y]; };
  const [x, y] = middle(from), down = key === "ArrowDown";
  return all.filter(one => down ? middle(one)[1] > y + 8 : middle(one)[1] < y - 8)
    .sort((a, b) => Math.abs(middle(a)[1] - y) - Math.abs(middle(b)[1] - y) || Math.abs(middle(a)[0] - x) - Math.abs(middle(b)[0] - x))[0];
}
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), select, textarea")) return;
  const thumb = event.target.closest("a.thumb"), pages = document.querySelector("a.thumb") && !document.querySelector(".one");
  if (event.key === "/") { const box = document.querySelector("input[type=search]"); if (box) { event.preventDefault(); box.focus(); } }
  else if (event.key.startsWith("Arrow") && pages) {
    const next = thumb ? beside(thumb, event.key) : document.querySelector("a.thumb");
    if (next) { event.preventDefault(); next.focus(); }
  }
  else if (event.key === "n" || (event.key === "ArrowRight" && !pages)) follow("next");
  else if (event.key === "p" || (event.key === "ArrowLeft" && !pages)) follow("prev");
  else if (/^[1-9]$/.test(event.key)) { const button = document.querySelector(`button[data-key="${event.key}"]`); if (button) button.click(); }
});
// Labels of a large audit take a while; the page shows them when they are there.
if (document.querySelector("[data-pending]")) {
  const again = setTimeout(() => location.reload(), 2000);
  // Loading again must not get in the way of somebody who is leaving.
  addEventListener("beforeunload", () => clearTimeout(again));
}
