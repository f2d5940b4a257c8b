"use strict";
// Parts of the page are fetched from the workbench's own process and put in place; nothing is built from text as HTML here.
(() => {
  const main = document.getElementById("main");
  const csrf = document.querySelector("meta[name=csrf]").content;
  const get = id => document.getElementById(id);
  const say = text => { get("said").textContent = text; };
  const told = new Map();  // why something is certain, by what was asked
  let chosen = null, menu = null, busy = 0;

  function alert(id, text) {
    const line = get(id);
    line.textContent = text;
    line.hidden = !text;
    if (text) line.scrollIntoView({ block: "nearest" });
  }

  async function ask(address, options = {}) {
    const headers = { "x-part": "1", ...(options.headers || {}) };
    if (options.method === "POST") headers["x-csrf-token"] = csrf;
    let answer;
    try {
      answer = await fetch(address, { ...options, headers });
    } catch {
      alert("gone", "The workbench is not running any more. Nothing is lost: start foregone serve again, in the same folder, and open its address.");
      throw new Error("gone");
    }
    alert("gone", "");
    return answer;
  }

  async function problems(answer) {
    const type = answer.headers.get("content-type") || "";
    if (answer.ok && !type.includes("json")) return false;
    if (type.includes("json")) {
      const content = await answer.json();
      if (content.problems) { alert("wrong", content.problems.join(" ")); return true; }
      return false;
    }
    alert("wrong", new DOMParser().parseFromString(await answer.text(), "text/html").body.textContent.trim());
    return true;
  }

  function focusKey() {
    const at = document.activeElement;
    return at && main.contains(at) ? at.dataset.name || at.dataset.key || at.id || "" : "";
  }

  // our own process made this text from escaped values; scripts in it would not run, and the policy of the page forbids them
  function put(html, version) {
    const key = focusKey(), top = scrollY;
    const scrolled = [...main.querySelectorAll(".scroll")].map(box => [box.scrollLeft, box.scrollTop]);
    main.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    main.dataset.version = version;
    [...main.querySelectorAll(".scroll")].forEach((box, i) => { if (scrolled[i]) [box.scrollLeft, box.scrollTop] = scrolled[i]; });
    scrollTo(0, top);
    told.clear();
    chosen = null;
    closeMenu();
    if (key) {
      const again = main.querySelector(`[data-key="${CSS.escape(key)}"], button[data-name="${CSS.escape(key)}"], #${CSS.escape(key)}`);
      if (again) again.focus({ preventScroll: true });
    }
    const heading = main.querySelector("h1");
    const news = main.querySelector("[data-news]");
    say(news ? news.textContent : heading ? heading.textContent : "");
  }

  async function refresh() {
    const answer = await ask(`/${main.dataset.screen}${location.search}`);
    if (answer.redirected || await problems(answer.clone())) return;
    put(await answer.text(), answer.headers.get("x-version"));
  }

  async function post(action, fields) {
    alert("wrong", "");
    busy += 1;
    main.setAttribute("aria-busy", "true");
    try {
      const body = new URLSearchParams({ screen: main.dataset.screen, ...fields });
      const answer = await ask(action, { method: "POST", body });
      if ((answer.headers.get("content-type") || "").includes("json")) {
        if (!await problems(answer)) await refresh();
        return;
      }
      if (await problems(answer.clone())) return;
      put(await answer.text(), answer.headers.get("x-version"));
    } finally {
      busy -= 1;
      main.removeAttribute("aria-busy");
    }
  }

  document.addEventListener("submit", event => {
    const form = event.target;
    if (form.method !== "post") return;
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form, event.submitter));
    post(new URL(form.action).pathname, fields).catch(() => {});
  });

  // ---- files
  async function upload(files) {
    for (const file of files) {
      say(`Adding ${file.name}`);
      const answer = await ask("/upload", { method: "POST", body: file, headers: { "x-file-name": encodeURIComponent(file.name), "content-type": "application/octet-stream" } });
      if (await problems(answer)) return;
    }
    if (main.dataset.screen === "read") await refresh(); else location.assign("/read");
  }
  document.addEventListener("change", event => { if (event.target.id === "pick") upload([...event.target.files]).catch(() => {}); });
  addEventListener("dragover", event => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", event => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", event => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    upload([...event.dataTransfer.files]).catch(() => {});
  });

  // ---- why: steps in words, and arrows on the sheet
  const cells = name => [...main.querySelectorAll(`.grid [data-name="${CSS.escape(name)}"]`)];

  function clearArrows() {
    for (const cell of main.querySelectorAll(".forces, .target")) cell.classList.remove("forces", "target");
    const svg = get("arrows");
    if (svg) for (const line of svg.querySelectorAll("path.line, circle")) line.remove();
  }

  function middle(element, box) {
    const at = element.getBoundingClientRect();
    return { x: at.left - box.left + at.width / 2, y: at.top - box.top + at.height / 2, w: at.width / 2, h: at.height / 2 };
  }

  // on the edge of a cell rather than over its number
  function edge(from, to) {
    const dx = to.x - from.x, dy = to.y - from.y;
    const scale = Math.min(Math.abs(dx) < 1 ? Infinity : (from.w + 3) / Math.abs(dx), Math.abs(dy) < 1 ? Infinity : (from.h + 3) / Math.abs(dy));
    return { x: from.x + dx * Math.min(scale, 1), y: from.y + dy * Math.min(scale, 1) };
  }

  function drawArrows(target, names) {
    clearArrows();
    const over = get("arrows-over"), svg = get("arrows");
    if (!over || !svg) return;
    const box = over.getBoundingClientRect();
    const seen = element => {
      const frame = element.closest(".scroll").getBoundingClientRect(), at = element.getBoundingClientRect();
      return at.left >= frame.left - 2 && at.right <= frame.right + 2 && at.top >= frame.top - 2 && at.bottom <= frame.bottom + 2;
    };
    svg.setAttribute("width", over.clientWidth);
    svg.setAttribute("height", over.scrollHeight);
    const goals = target ? cells(target) : [];
    for (const goal of goals) goal.closest("td").classList.add("target");
    for (const name of names) for (const cell of cells(name)) {
      if (name === target) continue;
      cell.closest("td").classList.add("forces");
      if (!goals.length || !seen(cell) || !seen(goals[0])) continue;
      const from = middle(cell.closest("td"), box), to = middle(goals[0].closest("td"), box);
      const a = from, b = edge(to, from), bend = Math.min(40, Math.hypot(b.x - a.x, b.y - a.y) / 5);
      const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const cx = (a.x + b.x) / 2 - (b.y - a.y) / length * bend, cy = (a.y + b.y) / 2 + (b.x - a.x) / length * bend;
      path.setAttribute("d", `M${a.x} ${a.y} Q${cx} ${cy} ${b.x} ${b.y}`);
      path.setAttribute("class", "line");
      path.setAttribute("marker-end", "url(#tip)");
      const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      for (const [key, value] of [["cx", a.x], ["cy", a.y], ["r", 3]]) dot.setAttribute(key, value);
      svg.append(dot, path);
    }
  }

  async function explained(question) {
    if (!told.has(question)) told.set(question, ask(`/why?${question}`).then(async answer => ({ ok: answer.ok, text: await answer.text() })));
    return told.get(question);
  }

  async function why(button, stay) {
    const question = button.dataset.why, panel = get("why");
    if (chosen && !stay) return;
    const wait = setTimeout(() => { panel.setAttribute("aria-busy", "true"); }, 150);
    const found = await explained(question).catch(() => null);
    clearTimeout(wait);
    panel.removeAttribute("aria-busy");
    if (!found || !main.contains(panel) || (!stay && !button.matches(":hover, :focus"))) return;
    panel.replaceChildren(...new DOMParser().parseFromString(found.text, "text/html").body.childNodes);
    const holder = panel.querySelector("[data-names]");
    if (stay) {
      for (const other of main.querySelectorAll("[data-why][aria-pressed]")) other.removeAttribute("aria-pressed");
      button.setAttribute("aria-pressed", "true");
      chosen = button;
      if (innerWidth < 900) panel.scrollIntoView({ block: "nearest" });
    }
    if (holder) drawArrows(holder.dataset.target, JSON.parse(holder.dataset.names));
  }

  for (const name of ["mouseover", "focusin"]) document.addEventListener(name, event => {
    const button = event.target.closest && event.target.closest(".star[data-why]");
    if (button && name === "mouseover") setTimeout(() => { if (button.matches(":hover")) why(button, false); }, 120);
    const ref = event.target.closest && event.target.closest(".ref[data-name]");
    if (ref) for (const cell of cells(ref.dataset.name)) cell.closest("td").classList.add("lit-ref");
  });
  for (const name of ["mouseout", "focusout"]) document.addEventListener(name, event => {
    if (event.target.closest && event.target.closest(".ref[data-name]")) for (const cell of main.querySelectorAll(".lit-ref")) cell.classList.remove("lit-ref");
  });
  function again() {
    const holder = get("why") && get("why").querySelector("[data-names]");
    if (holder) drawArrows(holder.dataset.target, JSON.parse(holder.dataset.names));
  }
  addEventListener("resize", again);
  document.addEventListener("scroll", event => { if (event.target.classList && event.target.classList.contains("scroll")) again(); }, true);

  // ---- try: a small menu beside the number
  function closeMenu() {
    if (!menu) return;
    const from = menu.from;
    menu.box.remove();
    menu = null;
    return from;
  }

  function openMenu(button) {
    closeMenu();
    const box = get("choices").content.firstElementChild.cloneNode(true);
    box.querySelector(".menu-title").textContent = button.dataset.label;
    const now = button.dataset.now || "show";
    for (const item of box.querySelectorAll("button")) {
      if (item.value === now) item.setAttribute("aria-current", "true");
      item.addEventListener("click", () => { closeMenu(); button.focus(); post("/do/try", { name: button.dataset.name, action: item.value }).catch(() => {}); });
    }
    document.body.append(box);
    const at = button.getBoundingClientRect();
    box.style.left = `${Math.max(8, Math.min(at.left + scrollX, scrollX + document.documentElement.clientWidth - box.offsetWidth - 8))}px`;
    box.style.top = `${at.bottom + scrollY + 4}px`;
    menu = { box, from: button };
    (box.querySelector("[aria-current]") || box.querySelector("button")).focus();
  }

  async function copy(button) {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.firstChild.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
      button.firstChild.textContent = "Selected";
    }
    setTimeout(() => { button.firstChild.textContent = "Copy"; }, 2000);
  }

  document.addEventListener("click", event => {
    const target = event.target.closest("[data-why], .copy, .tryable, .pinnable");
    if (menu && !menu.box.contains(event.target)) closeMenu();
    if (!target) return;
    if (target.matches(".copy")) copy(target);
    else if (target.matches("[data-why]")) why(target, true);
    else if (target.matches(".tryable")) openMenu(target);
    else if (target.matches(".pinnable")) post("/do/pin", { name: target.dataset.name }).catch(() => {});
  });

  // arrow keys walk over the numbers of a sheet
  function walk(from, key) {
    const cell = from.closest("td"), table = from.closest("table");
    const rows = [...table.rows], r = rows.indexOf(cell.parentElement), c = cell.cellIndex;
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key];
    for (let i = r + step[0], j = c + step[1]; rows[i] && rows[i].cells[j]; i += step[0], j += step[1]) {
      const next = rows[i].cells[j].querySelector("button[data-name]");
      if (next) { next.focus(); return true; }
    }
    return false;
  }

  document.addEventListener("keydown", event => {
    if (event.key === "Escape") {
      if (menu) { closeMenu().focus(); return; }
      chosen = null;
      for (const other of main.querySelectorAll("[data-why][aria-pressed]")) other.removeAttribute("aria-pressed");
      clearArrows();
      return;
    }
    if (menu && event.key === "Tab") { closeMenu().focus(); return; }
    if (menu && ["ArrowDown", "ArrowUp"].includes(event.key)) {
      const items = [...menu.box.querySelectorAll("button")], at = items.indexOf(document.activeElement);
      items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length].focus();
      event.preventDefault();
      return;
    }
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing || event.altKey) return;
    if (event.key.startsWith("Arrow") && event.target.matches && event.target.matches(".grid button[data-name]") && walk(event.target, event.key)) event.preventDefault();
    const back = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey);
    if (main.dataset.screen === "try" && back) {
      event.preventDefault();
      post(event.shiftKey ? "/do/redo" : "/do/undo", {}).catch(() => {});
    }
  });

  // what could not be said within a second is asked again, with patience
  let patient = "";
  async function more() {
    const rest = main.querySelector("[data-more]"), version = main.dataset.version;
    if (!rest || patient === version) return;
    patient = version;
    const answer = await ask(rest.dataset.more);
    if (main.dataset.version === version && answer.ok && !busy) put(await answer.text(), answer.headers.get("x-version"));
  }

  // ---- is the page up to date, how far is the work, is the process still there?
  async function pulse() {
    const working = main.querySelector("[data-working]");
    if (!document.hidden && !busy) {
      try {
        const news = await (await ask("/pulse")).json();
        if (working) {
          const job = news.jobs.find(one => one.task === working.dataset.working) || news.jobs[0];
          if (!job) await refresh();
          else {
            const doing = working.querySelector("[data-doing]"), bar = working.querySelector("progress");
            if (doing && job.said) doing.textContent = job.said;
            if (bar) { if (job.share === null) bar.removeAttribute("value"); else bar.value = job.share; }
            const seconds = working.querySelector("[data-seconds]");
            if (seconds) seconds.textContent = `${Math.round(job.seconds)} seconds so far. Nothing is lost if you leave this page.`;
          }
        } else if (String(news.version) !== main.dataset.version) await refresh();
      } catch { /* said on the page already */ }
    }
    more().catch(() => {});
    setTimeout(pulse, main.querySelector("[data-working]") ? 400 : 2000);
  }
  setTimeout(pulse, 400);
})();
