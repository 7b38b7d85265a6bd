(async () => {
  const data = await (await fetch('/data.json')).json();
  const show = () => {
    const page = data[location.pathname];
    const mount = document.getElementById('app');
    mount.textContent = '';
    const add = (name, text) => {
      const element = document.createElement(name);
      element.textContent = text;
      mount.append(element);
      return element;
    };
    document.title = page ? page.title : 'Nothing here';
    add('h1', document.title);
    if (!page) return;
    add('p', page.text);
    for (const to of page.links) {
      const link = add('a', data[to].title);
      link.href = to;
      link.onclick = (event) => { event.preventDefault(); history.pushState({}, '', to); show(); };
    }
  };
  addEventListener('popstate', show);
  show();
})();
