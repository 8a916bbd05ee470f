function bothSides(box, view) {
  let panel = box.nextElementSibling;
  while (panel && panel.tagName === "SCRIPT") panel = panel.nextElementSibling;
  if (!panel || !panel.classList.contains("sides")) return;
  const images = JSON.parse(document.getElementById("sides-" + panel.dataset.study).textContent);
  view.addEventListener("click", (event, item) => {
    const point = item && item.datum;
    if (!point || !point.occupation) return;
    const sides = (images[point.subset] || {})[point.occupation] || {};
    panel.replaceChildren();
    for (const side of ["training", "generated"]) {
      const figure = panel.appendChild(document.createElement("figure"));
      figure.appendChild(document.createElement("figcaption")).textContent =
        point.occupation + ": " + side + ", " + point[side].toFixed(0) + "%";
      const row = figure.appendChild(document.createElement("div"));
      for (const shown of sides[side] || []) {
        const cell = row.appendChild(document.createElement("span"));
        const image = cell.appendChild(document.createElement("img"));
        image.src = shown.src;
        image.alt = shown.text;
        cell.appendChild(document.createElement("small")).textContent =
          shown.text + " (" + shown.group + ")";
      }
      if (!row.children.length) row.textContent = "no image that counts";
    }
  });
}
for (const box of document.querySelectorAll("[data-spec]")) {
  const spec = JSON.parse(document.getElementById(box.dataset.spec).textContent);
  vegaEmbed(box, spec, {actions: {export: true, source: false, compiled: false, editor: false}, renderer: "svg"})
    .then(drawn => {
      // The numbers of a figure are in its table; its marks say nothing more to a screen reader.
      box.querySelector("svg.marks").setAttribute("aria-hidden", "true");
      const menu = box.querySelector("summary");
      if (menu) menu.setAttribute("aria-label", "Save this figure: " + box.getAttribute("aria-label"));
      bothSides(box, drawn.view);
      const search = evidence(box.closest("section"));
      drawn.view.addEventListener("click", (event, item) => {
        const point = item && item.datum;
        if (!point || point.occupation) return;  // a comparison with training data shows both sides
        const own = point.key && document.querySelector(`li[data-key="${CSS.escape(point.key)}"]`);
        const found = own ? {title: own.dataset.prompt, items: [own]} : search(Object.values(point).filter(one => typeof one === "string").join(" | "));
        if (found) openRow(document.getElementById(box.dataset.spec), found);
      });
    })
    .catch(error => { box.textContent = "This figure could not be drawn: " + error.message; });
}

// Galleries: the fields of gallery.html.j2; one label of an image has to meet all that is asked of labels.
const meets = (labels, asked) => labels.some(([axis, label, sure, who]) =>
  (!asked.label || axis + ": " + label === asked.label) && (!asked.measurer || who === asked.measurer) &&
  (asked.least === "" || (sure !== null && sure >= asked.least / 100)) && (asked.most === "" || (sure !== null && sure <= asked.most / 100)));
const differ = (labels, axis) => labels.some((one, i) => labels.some((other, j) => j > i && one[0] === other[0] && one[1] !== other[1] && (!axis || one[0] === axis)));
for (const tools of document.querySelectorAll("[data-gallery]")) {
  const gallery = document.getElementById(tools.dataset.gallery), said = tools.querySelector("output");
  const show = () => {
    const asked = {label: "", measurer: "", least: "", most: "", ...Object.fromEntries(new FormData(tools))};
    const words = asked.words.trim().toLowerCase(), onLabels = asked.label || asked.measurer || asked.least !== "" || asked.most !== "";
    let n = 0;
    for (const shelf of gallery.querySelectorAll("figure")) {
      const images = [...shelf.querySelectorAll("[data-labels]")], fits = shelf.dataset.prompt.toLowerCase().includes(words);
      for (const image of images) {
        const labels = JSON.parse(image.dataset.labels);
        const kept = fits && (!onLabels || meets(labels, asked)) && (!asked.disagree || differ(labels, asked.label.split(": ").slice(0, -1).join(": ")));
        image.hidden = !kept;
        n += kept;
      }
      const sure = image => { const found = JSON.parse(image.dataset.labels).filter(one => one[2] !== null && (!onLabels || meets([one], asked))).map(one => one[2]); return found.length ? Math.min(...found) : 2; };
      images.sort(asked.order === "certainty" ? (a, b) => sure(a) - sure(b) : (a, b) => a.dataset.seed - b.dataset.seed);
      images.forEach(image => image.parentElement.append(image));
      shelf.hidden = !images.some(image => !image.hidden);
    }
    said.textContent = n + (n === 1 ? " image" : " images");
    gallery.querySelectorAll("details").forEach(box => { if (words || onLabels || asked.disagree) box.open = true; });
    oneStop(gallery);
  };
  tools.addEventListener("input", show);
}
// One image in full: a click, or Enter; of a row of images one is in the order of tabs, arrows reach the others.
function oneStop(within) {
  for (const row of within.querySelectorAll(".images")) {
    const images = [...row.querySelectorAll("li:not([hidden]) img")];
    images.forEach((image, i) => { image.tabIndex = i ? -1 : 0; image.setAttribute("role", "button"); });
  }
}
function openImage(item) {
  const box = document.getElementById("one-image"), inside = box.querySelector("div"), image = item.querySelector("img");
  const large = document.createElement("img");
  large.src = image.src; large.alt = image.alt;
  const list = document.createElement("dl");
  const add = (name, value) => { list.appendChild(document.createElement("dt")).textContent = name; list.appendChild(document.createElement("dd")).textContent = value; };
  add("prompt", item.dataset.prompt); add("seed", item.dataset.seed);
  for (const [axis, label, sure, who, support] of JSON.parse(item.dataset.labels)) add(axis, label + (support && (sure === null ? ", " : ", probability ") + support) + " (" + who + ")");
  add("image", item.dataset.key);
  inside.replaceChildren(large, list);
  box.showModal();
}
document.addEventListener("click", event => { const image = event.target.closest(".images img"); if (image) openImage(image.closest("li")); });
document.addEventListener("keydown", event => {
  const image = event.target.closest && event.target.closest(".images img");
  if (!image) return;
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); openImage(image.closest("li")); }
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!step) return;
  const images = [...image.closest(".images").querySelectorAll("li:not([hidden]) img")], next = images[images.indexOf(image) + step];
  if (next) { event.preventDefault(); image.tabIndex = -1; next.tabIndex = 0; next.focus(); }
});
// Rows and points open the images of the levels that they name: those of the study's prompts that have them.
function evidence(section) {
  const shelves = [...section.querySelectorAll("figure[data-levels]")].map(shelf => ({shelf, levels: JSON.parse(shelf.dataset.levels)}));
  const names = {};
  for (const {levels} of shelves) for (const [factor, level] of Object.entries(levels)) if (level) (names[factor] ||= new Set()).add(level);
  const named = text => {
    const found = {}, words = " " + text.toLowerCase().replace(/[^\p{L}\p{N}#]+/gu, " ") + " ";
    for (const [factor, levels] of Object.entries(names)) {
      const own = [...levels].filter(level => words.includes(" " + level.toLowerCase().replace(/[^\p{L}\p{N}#]+/gu, " ").trim() + " "));
      if (own.length && own.length < levels.size) found[factor] = own;
    }
    return found;
  };
  return text => {
    const asked = named(text);
    if (!Object.keys(asked).length) return null;
    const fits = shelves.filter(({levels}) => Object.entries(asked).every(([factor, own]) => own.includes(levels[factor])));
    return fits.length ? {title: Object.values(asked).flat().join(", "), items: fits.flatMap(one => [...one.shelf.querySelectorAll("li")])} : null;
  };
}
function openRow(after, found) {
  const old = after.nextElementSibling;
  if (old && old.classList.contains("opened")) old.remove();
  const panel = document.createElement("div");
  panel.className = "opened"; panel.setAttribute("role", "region"); panel.setAttribute("aria-label", "Images: " + found.title); panel.tabIndex = -1;
  const head = panel.appendChild(document.createElement("p")), close = document.createElement("button");
  head.append(found.title + ": " + found.items.length + (found.items.length === 1 ? " image" : " images") + " on this page");
  close.textContent = "Close"; close.addEventListener("click", () => panel.remove()); head.append(close);
  const list = panel.appendChild(document.createElement("ul"));
  list.className = "images";
  for (const item of found.items.slice(0, 48)) {
    const copy = item.cloneNode(true);
    copy.hidden = false;
    copy.querySelectorAll("small").forEach(one => one.remove());
    const text = [...item.querySelectorAll("small")].map(one => one.textContent).join(" · ");
    for (const line of [text, item.dataset.prompt, "seed " + item.dataset.seed]) if (line) copy.appendChild(document.createElement("small")).textContent = line;
    list.append(copy);
  }
  after.after(panel);
  oneStop(panel);
  panel.focus();
}
for (const section of document.querySelectorAll("section[data-evidence]")) {
  const search = evidence(section);
  for (const row of section.querySelectorAll("table.plain tbody tr")) {
    const found = search([...row.cells].map(cell => cell.textContent).join(" | "));
    if (!found || !row.cells[0].textContent) continue;
    const cell = [...row.cells].find(one => found.title.split(", ").some(level => one.textContent.toLowerCase().includes(level.toLowerCase()))) || row.cells[0];
    const button = document.createElement("button");
    button.className = "row-images"; button.type = "button"; button.title = "Show the images of " + found.title;
    button.append(...cell.childNodes); cell.append(button);
    button.addEventListener("click", () => openRow(row.closest(".scroll") || row.closest("table"), found));
  }
}
oneStop(document);
// Copy buttons.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; }
    catch { getSelection().selectAllChildren(document.getElementById(button.dataset.copy)); button.textContent = "Selected"; }
  });
}
// A printed page loses nothing: everything that is folded away is opened first.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(box => { box.dataset.was = box.open; box.open = true; }));
addEventListener("afterprint", () => document.querySelectorAll("details").forEach(box => { box.open = box.dataset.was === "true"; }));
// A link to a finding opens what hides it.
const reveal = () => { let one = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const found = one; while (one) { if (one.tagName === "DETAILS") one.open = true; one = one.parentElement; } if (found) found.scrollIntoView(); };
addEventListener("hashchange", reveal); reveal();
