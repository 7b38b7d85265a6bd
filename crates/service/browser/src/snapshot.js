// The page as it is now, in a world of our own: the page's scripts cannot reach in here.
// What the page names in its markup can still hide a property of `document`, so each is
// asked for where it is defined.
((most) => {
  const of = (name) => Object.getOwnPropertyDescriptor(Document.prototype, name).get.call(document);
  const doctype = of('doctype');
  const root = of('documentElement');
  let html;
  try {
    html = (doctype ? new XMLSerializer().serializeToString(doctype) : '') + (root ? root.outerHTML : '');
  } catch {
    // Longer than any string can be.
    return { html: '', isWhole: false, isBare: false };
  }
  return {
    html: html.slice(0, most).toWellFormed(),
    isWhole: html.length <= most,
    isBare: isBare(of('body')),
  };

  // Whether there is nothing to read and nowhere to go.
  function isBare(body) {
    if (!body) return true;
    if (body.matches('frameset') || body.querySelector('a[href]')) return false;
    const texts = Document.prototype.createTreeWalker.call(document, body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (!text.parentElement.closest('script, style, noscript, template') && text.data.trim()) return false;
    }
    return true;
  }
})
