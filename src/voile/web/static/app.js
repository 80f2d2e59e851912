// Uploads: a file goes in slices, so that a refusal is heard while the rest is unsent.
(() => {
  const say = (box, what, rule, remedy) => {
    const place = box.querySelector(".said");
    place.replaceChildren();
    if (!what) return;
    const wrap = document.createElement("div");
    wrap.className = "refusal";
    for (const [kind, text] of [["strong", what], ["span", rule && `The rule: ${rule}.`],
                                ["span", remedy && `What would work: ${remedy}.`]]) {
      if (!text) continue;
      const line = document.createElement("p"), inner = document.createElement(kind);
      inner.textContent = text;
      line.append(inner);
      wrap.append(line);
    }
    place.append(wrap);
  };

  const post = async (address, body, headers) => {
    const answer = await fetch(address, { method: "POST", body, headers, credentials: "same-origin" });
    if (answer.status === 403) { location.reload(); return new Promise(() => {}); }
    return answer.json();
  };

  const refused = (box, answer) => {
    const { what, where, rule, remedy } = answer.error;
    say(box, where ? `${where}: ${what}` : what, rule, remedy);
  };

  const send = async (box, file) => {
    const bar = box.querySelector("progress"), most = Number(box.dataset.largest), step = Number(box.dataset.slice);
    say(box);
    if (file.size > most) {
      say(box, `the file has more than ${Math.floor(most / 2 ** 20)} MiB`, "",
        box.dataset.remedy ?? "put it into the folder of voile serve and pick it there: that has no limit");
      return;
    }
    bar.hidden = false;
    bar.value = 0;
    try {
      const begun = await post("/upload", null, { "X-Name": encodeURIComponent(file.name) });
      if (!begun.ok) return refused(box, begun);
      for (let at = 0; at < file.size; at += step) {
        const answer = await post(`/upload/${begun.id}`, file.slice(at, at + step));
        if (!answer.ok) return refused(box, answer);
        bar.value = Math.min(1, (at + step) / file.size);
      }
      const done = await post(`/upload/${begun.id}/done/${box.dataset.purpose}`, null);
      if (!done.ok) return refused(box, done);
      location.assign(done.next);
    } catch {
      say(box, "the upload was interrupted", "", "try again; is voile serve still running?");
    } finally {
      bar.hidden = true;
    }
  };

  document.addEventListener("change", (event) => {
    const box = event.target.closest?.(".drop");
    if (box && event.target.type === "file" && event.target.files.length) {
      send(box, event.target.files[0]);
      event.target.value = "";
    }
  });
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => {
      const box = event.target.closest?.(".drop");
      if (!box) return;
      event.preventDefault();
      box.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) send(box, event.dataTransfer.files[0]);
    });
  }
  document.addEventListener("dragleave", (event) => event.target.closest?.(".drop")?.classList.remove("over"));
  document.addEventListener("click", (event) => {  // the text of an editor goes the way of a file: it may be long
    const source = event.target.closest?.("[data-sends]");
    if (!source) return;
    const text = document.getElementById(source.dataset.sends).value;
    send(source.closest("[data-purpose]"), new File([text], "edited lines"));
  });
  document.addEventListener("click", async (event) => {
    const source = event.target.closest?.("[data-copies]");
    if (!source) return;
    await navigator.clipboard?.writeText(document.getElementById(source.dataset.copies).textContent);
    source.textContent = "Copied";
  });
  const look = async () => {
    const answer = await fetch("/static/app.css", { cache: "no-store" }).catch(() => null);
    if (answer?.status === 403) location.reload();
  };
  const watch = () => {  // who was locked out, or logged out in another tab, leaves nothing on the screen
    if (!window.socket) return void setTimeout(watch, 500);
    window.socket.on("disconnect", look);
    window.socket.on("connect_error", look);  // it ended before this page could connect
  };
  watch();
})();
