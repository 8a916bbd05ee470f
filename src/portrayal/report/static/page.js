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
    })
    .catch(error => { box.textContent = "This figure could not be drawn: " + error.message; });
}

// Galleries: filter by words and label, sort by probability.
for (const tools of document.querySelectorAll("[data-gallery]")) {
  const gallery = document.getElementById(tools.dataset.gallery);
  const [words, label, order] = ["words", "label", "order"].map(name => tools.querySelector(`[name=${name}]`));
  const said = tools.querySelector("output");
  const show = () => {
    const wanted = words.value.trim().toLowerCase();
    let n = 0;
    for (const shelf of gallery.querySelectorAll("figure")) {
      const images = [...shelf.querySelectorAll("[data-labels]")];
      const fits = shelf.dataset.prompt.toLowerCase().includes(wanted);
      for (const image of images) {
        const labels = JSON.parse(image.dataset.labels);
        const kept = fits && (!label.value || labels.some(one => one[0] + ": " + one[1] === label.value) ||
          (label.value === "disagree" && labels.some((one, i) => labels.some((other, j) => j > i && one[0] === other[0] && one[1] !== other[1]))));
        image.hidden = !kept;
        n += kept;
      }
      const key = image => { const p = JSON.parse(image.dataset.labels).map(one => one[2]).filter(one => one !== null); return p.length ? Math.min(...p) : 2; };
      const sorted = order.value === "seed" ? images.sort((a, b) => a.dataset.seed - b.dataset.seed) : images.sort((a, b) => key(a) - key(b));
      sorted.forEach(image => image.parentElement.append(image));
      shelf.hidden = !images.some(image => !image.hidden);
    }
    said.textContent = n + (n === 1 ? " image" : " images");
    gallery.querySelectorAll("details").forEach(box => { if (wanted || label.value) box.open = true; });
  };
  tools.addEventListener("input", show);
}
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
