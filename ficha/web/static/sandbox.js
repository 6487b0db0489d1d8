// Says when there is something new. It does not move what somebody is reading: she reloads when she likes.
const reload = document.getElementById("reload");

async function look() {
  if (document.hidden) return;
  try {
    const answer = await fetch(`/sandbox/news?seen=${encodeURIComponent(reload.dataset.news)}`);
    const { news } = await answer.json();
    if (answer.ok && news !== reload.dataset.news) {
      reload.textContent = reload.dataset.say;
      reload.classList.remove("quiet");
      clearInterval(looking);
    }
  } catch {
    // The server is being restarted; the next look finds it.
  }
}

const looking = setInterval(look, 4000);
