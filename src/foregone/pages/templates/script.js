"use strict";
// Everything works on what is already in the page: facts are shown, hidden and reordered, nothing is built from text as HTML.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const list = document.querySelector(".facts");
  const facts = [...document.querySelectorAll(".fact")];
  const byId = new Map(facts.map(fact => [fact.dataset.id, fact]));
  const words = new Map(facts.map(fact => [fact, fact.querySelector(".said").textContent.toLowerCase() + " " +
    [...fact.querySelectorAll(".known div")].map(pair => pair.textContent).join(" ").toLowerCase()]));
  const get = id => document.getElementById(id);
  const dialog = get("cell");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  const orders = {
    telling: (a, b) => a.dataset.id - b.dataset.id,
    columns: (a, b) => a.dataset.k - b.dataset.k || a.dataset.id - b.dataset.id,
    chance: (a, b) => (a.dataset.chance || 1) - (b.dataset.chance || 1) || a.dataset.id - b.dataset.id,
    count: (a, b) => b.dataset.count - a.dataset.count || a.dataset.id - b.dataset.id,
    among: (a, b) => (b.dataset.among || 0) - (a.dataset.among || 0) || a.dataset.id - b.dataset.id,
    place: (a, b) => (a.dataset.place > b.dataset.place) - (a.dataset.place < b.dataset.place) || a.dataset.id - b.dataset.id,
  };

  // facts that fit the filters are shown fifty at a time
  const EACH = 50;
  let fitting = [], page = 0;

  function turn(to) {
    page = Math.max(0, Math.min(to, Math.ceil(fitting.length / EACH) - 1));
    fitting.forEach((fact, i) => fact.classList.toggle("elsewhere", Math.floor(i / EACH) !== page));
    const first = page * EACH + 1, last = Math.min(fitting.length, first + EACH - 1), total = facts.length.toLocaleString("en");
    const some = fitting.length > EACH ? `; ${first} to ${last} are shown here` : "";
    get("shown").textContent = !fitting.length ? "No fact matches; loosen the filters." :
      (fitting.length === facts.length ? `All ${total} facts match` : `${fitting.length.toLocaleString("en")} of ${total} facts match`) + `${some}.`;
    get("pager").hidden = fitting.length <= EACH;
    get("which").textContent = `${first} to ${last} of ${fitting.length.toLocaleString("en")}`;
    get("earlier").disabled = page === 0;
    get("later").disabled = last === fitting.length;
  }

  function leaf(step) {
    turn(page + step);
    const first = fitting[page * EACH];
    first.querySelector("summary").focus({ preventScroll: true });
    first.scrollIntoView({ block: "start", behavior: "auto" });
  }

  function filter() {
    const search = get("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const count = get("count").value, least = Number(get("least").value || 0), place = get("place") ? get("place").value : "";
    const printed = get("printed") ? get("printed").value : "";
    const columns = [...document.querySelectorAll("input[name=column]:checked")];
    for (const fact of facts) {
      const names = fact.dataset.names.split(" ");
      fact.hidden = !(search.every(word => words.get(fact).includes(word)) && (!count || fact.dataset.count === count) &&
        (!place || fact.dataset.place === place) && (!printed || fact.dataset.printed === printed) &&
        fact.dataset.k >= least && columns.every(box => names.includes(box.value)));
    }
    get("picked").textContent = columns.map(box => box.parentElement.textContent.trim()).join(", ");
    fitting = [...list.children].filter(fact => !fact.hidden);
    turn(0);
  }

  function sort() {
    const first = facts.slice().sort(orders[get("sort").value]);
    list.append(...first);
  }

  function go(id) {
    const fact = byId.get(String(id));
    if (!fact) return;
    if (fact.hidden) { document.querySelector(".tools").reset(); get("count").value = ""; sort(); filter(); }
    turn(Math.floor(fitting.indexOf(fact) / EACH));
    fact.querySelector("details").open = true;
    fact.querySelector("summary").focus({ preventScroll: true });
    fact.scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
    fact.classList.remove("flash");
    void fact.offsetWidth;
    fact.classList.add("flash");
  }

  function show(cell, from) {
    const uses = [...(data.uses[cell] || [])], number = data.numbers[cell];
    get("cell-title").textContent = number ? number.name : from.getAttribute("aria-label").split(":")[0];
    get("cell-says").textContent = number ? [number.label, number.says].filter(Boolean).join(". ") : "";
    const why = number && number.fact ? Number(number.fact) : 0;
    if (why) uses.splice(0, uses.length, why, ...uses.filter(id => id !== why));
    get("cell-count").textContent = why ? "Why it is certain, and what else needs this number:" : uses.length === 0 ? "None of the facts explained on this page needs this number." :
      uses.length === 1 ? "One fact explained on this page needs this number:" :
        `${uses.length} of the facts explained on this page need this number:`;
    get("cell-facts").replaceChildren(...uses.map(id => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.textContent = `${id}. ${byId.get(String(id)).querySelector(".said").textContent}`;
      button.addEventListener("click", () => { dialog.close(); go(id); });
      item.append(button);
      return item;
    }));
    dialog.showModal();
  }

  function light(event, on) {
    const target = event.target.closest && event.target.closest("[data-cell]");
    const body = target && target.closest(".body");
    if (!body) return;
    for (const twin of body.querySelectorAll(`[data-cell="${target.dataset.cell}"]`)) if (twin !== target) twin.classList.toggle("lit", on);
  }

  function visit(place) {
    const choice = get("place");
    if (!choice || ![...choice.options].some(option => option.value === place)) return;
    choice.value = place;
    filter();
    get("facts").scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
    choice.focus({ preventScroll: true });
  }

  // a bar of a picture is a filter: facts with so many attributes, or that tell this one
  function picked(bar) {
    const least = get("least");
    if (bar.dataset.least && [...least.options].some(option => option.value === bar.dataset.least)) least.value = bar.dataset.least;
    for (const label of document.querySelectorAll(".pick .boxes label"))
      if (bar.dataset.tells && label.textContent.trim() === bar.dataset.tells) {
        label.querySelector("input").checked = true;
        label.closest("details").open = true;
      }
    filter();
    get("facts").scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
  }

  // where the clipboard is not to be had, the command is selected instead
  async function copy(button) {
    const code = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.firstChild.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.firstChild.textContent = "Selected";
    }
    setTimeout(() => { button.firstChild.textContent = "Copy"; }, 2000);
  }

  document.addEventListener("click", event => {
    const target = event.target.closest("[data-cell]"), place = event.target.closest("button[data-place]");
    if (event.target.closest(".copy")) { copy(event.target.closest(".copy")); return; }
    const bar = list && event.target.closest("[data-least], [data-tells]");
    if (bar) { picked(bar); return; }
    if (target) show(target.dataset.cell, target);
    else if (place) visit(place.dataset.place);
    else if (event.target === dialog) dialog.close();
  });
  for (const [name, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]])
    document.addEventListener(name, event => light(event, on));

  if (list) {
    document.querySelector(".tools").addEventListener("submit", event => event.preventDefault());
    get("earlier").addEventListener("click", () => leaf(-1));
    get("later").addEventListener("click", () => leaf(1));
    for (const name of ["input", "change"]) document.querySelector(".tools").addEventListener(name, () => { sort(); filter(); });
    filter();
  }

  document.addEventListener("keydown", event => {
    if (dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && list) { event.preventDefault(); get("search").focus(); return; }
    if (event.key === "Escape" && event.target === get("search")) { get("search").value = ""; filter(); return; }
    if (typing || !(event.key === "j" || event.key === "k")) return;
    const at = fitting.findIndex(fact => fact.contains(document.activeElement));
    const now = at < 0 ? page * EACH - 1 : at;
    const next = Math.max(0, Math.min(fitting.length - 1, event.key === "j" ? now + 1 : now - 1));
    if (!fitting[next]) return;
    if (Math.floor(next / EACH) !== page) turn(Math.floor(next / EACH));
    const summary = fitting[next].querySelector("summary");
    summary.focus();
    summary.scrollIntoView({ block: "nearest" });
  });

  // a long table opens at the first number that matters
  document.addEventListener("toggle", event => {
    if (!event.target.open) return;
    for (const sheet of event.target.querySelectorAll(".scroll")) {
      const used = sheet.querySelector(".used");
      const line = used && used.parentElement;
      if (line && line.offsetTop + line.offsetHeight > sheet.clientHeight) sheet.scrollTop = line.offsetTop - sheet.clientHeight / 2;
    }
  }, true);

  // a printed page has every derivation on it, whichever were open on the screen
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll(".fact:not([hidden]) > details:not([open]):has(.steps)")];
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of closed) details.open = false; });

  const linked = /^#fact-(\d+)$/.exec(location.hash);
  if (linked) go(linked[1]);
})();
