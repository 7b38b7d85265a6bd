"""Prints the labelled pages: id, URL and file, a JSON line each."""
import json
import os
import sys

data = sys.argv[1]
truth = os.path.join(data, 'wcxb-dev', 'ground-truth')
for name in sorted(os.listdir(truth)):
    page = name.removesuffix('.json')
    with open(os.path.join(truth, name), encoding='utf-8') as file:
        url = json.load(file).get('url')
    if url:
        print(json.dumps({'id': page, 'url': url, 'file': os.path.join(data, 'wcxb-dev', 'html', page + '.html.gz')}))
