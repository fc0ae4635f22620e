/** The pages of the documentation as HTML: the overview and the reference of each group. They need no script. */

import { GUIDES } from './guides'
import { asObject, type JsonObject } from './json-schema'
import { renderOperation } from './operation-html'
import { type Group, type Part, readParts } from './reference-model'
import { SAMPLE_BASE } from './samples'
import { listNames, objectAnchor, renderMembers } from './schema-html'
import { escapeHtml, renderMarkdown } from './text-html'

/** A page to frame. */
interface Page {
  readonly title: string
  /** The way from the page to the root: `./`, `../` or `../../`. */
  readonly root: string
  readonly lead: string
  /** The sections. */
  readonly content: string
}

/** Puts a page into the frame that all pages of the documentation have. */
function renderFrame({ title, root, lead, content }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} – Satchel</title>
<link rel="icon" href="${root}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}style.css">
<link rel="stylesheet" href="${root}docs-pages.css">
<script type="module" src="${root}docs.js"></script>
</head>
<body class="docs" data-root="${root}">
<a class="skip" href="#content">Skip to the content</a>
<header class="masthead">
<a class="brand" href="${root}"><img src="${root}icon.svg" alt="" width="28" height="28">Satchel</a>
<nav aria-label="Documentation"><a href="${root}docs">API documentation</a> <a href="${root}docs/errors">Error codes</a></nav>
</header>
<main id="content" tabindex="-1">
<div class="hero">
<h1>${escapeHtml(title)}</h1>
<div class="lead">${lead}</div>
</div>
${content}
</main>
<footer class="foot"><a href="${root}">Your keys</a> <a href="${root}docs">API documentation</a> <a href="${root}docs/errors">Error codes</a> <a href="${root}docs/swagger">Swagger UI</a> <a href="${root}openapi.json">OpenAPI</a></footer>
<div id="said" class="unseen" role="status"></div>
</body>
</html>
`
}

const BEGIN = [
  `curl ${SAMPLE_BASE}/api/notes -H 'Content-Type: application/json' -d '{ "body": "# Trip to Lisbon" }'`,
  `curl '${SAMPLE_BASE}/api/search?q=lisbon'`,
  `curl ${SAMPLE_BASE}/api/usage`,
]

/** Renders the page below /docs with this name, `''` for the overview, or returns null if there is none. */
export function renderReference(document: JsonObject, slug: string): string | null {
  if (slug === '') return renderOverview(document)
  if (slug.startsWith('guides/')) return renderGuide(slug.slice('guides/'.length))
  return slug === 'objects' ? renderObjectsPage(document) : renderGroupPage(document, slug)
}

/** Renders a guide, or returns null if there is none of this name. */
function renderGuide(name: string): string | null {
  const guide = GUIDES.find((one) => one.name === name)
  if (!guide) return null
  const root = '../../'
  const text = renderMarkdown(guide.markdown, root).replaceAll('<pre>', '<pre class="block">')
  return renderFrame({ title: guide.title, root, lead: '', content: `<div class="prose guide">${text}</div>` })
}

/** Renders /docs: how to begin, and every group with what it is for. */
function renderOverview(document: JsonObject): string {
  const root = './'
  const { description } = asObject(document.info)
  const parts = readParts(document).map((part) => renderPart(part, root))
  return renderFrame({
    title: 'API documentation',
    root,
    lead: '<p>Every call of this server, with what it takes, answers and refuses.</p>',
    content: `<section aria-labelledby="begin"><h2 id="begin">Begin</h2>
<div class="stack"><p>Write a note, find it, and see what is left of this hour. No key is needed to try.</p>
<pre class="block"><code>${escapeHtml(BEGIN.join('\n'))}</code></pre>
<div class="prose">${renderMarkdown(String(description ?? ''), root)}</div></div></section>
<section aria-labelledby="guides"><h2 id="guides">Guides</h2><ul class="groups">${GUIDES.map(({ name, title }) => `<li><a href="${root}docs/guides/${name}">${escapeHtml(title)}</a>`).join('\n')}</ul></section>
${parts.join('\n')}
<section aria-labelledby="more"><h2 id="more">More</h2><div><p>Any call can also answer 429, 500 or 503: <a href="${root}docs/errors">Error codes</a> says what to do about each.</p><ul class="groups"><li><a href="${root}docs/objects">Common objects</a><li><a href="${root}docs/errors">Error codes</a><li><a href="${root}docs/swagger">Swagger UI</a><li><a href="${root}openapi.json">The OpenAPI document</a></ul></div></section>`,
  })
}

function renderPart({ name, groups }: Part, root: string): string {
  const id = `part-${groups[0]?.slug ?? ''}`
  const items = groups.map(
    ({ slug, name: title, description, operations }) =>
      `<li><a href="${root}docs/${slug}">${escapeHtml(title)}</a> <span class="quiet">${operations.length}</span><div>${renderMarkdown(description, root, 'inline')}</div></li>`,
  )
  return `<section aria-labelledby="${id}"><h2 id="${id}">${escapeHtml(name)}</h2>
<ul class="groups">${items.join('\n')}</ul></section>`
}

/** Renders the reference of a group, or returns null if no group has this slug. */
function renderGroupPage(document: JsonObject, slug: string): string | null {
  const groups = readParts(document).flatMap((part) => part.groups)
  const at = groups.findIndex((group) => group.slug === slug)
  const group = groups[at]
  if (!group) return null
  const root = '../'
  const neighbours = [groups[at - 1], groups[at + 1]].flatMap((one) => (one ? [one] : []))
  const calls = group.operations.map(({ id, summary }) => `<li><a href="#${id}">${escapeHtml(summary)}</a></li>`)
  const shared = new Set(sharedNames(document))
  const own = usedNames(group, document).filter((name) => !shared.has(name))
  const content = `<nav class="calls" aria-label="Calls on this page"><ul>${calls.join('\n')}</ul></nav>
${group.operations.map((operation) => renderOperation(operation, document, root)).join('\n')}
${renderObjects(own, document, root)}
<nav class="row neighbours" aria-label="Other groups">${neighbours.map((one) => `<a href="${root}docs/${one.slug}">${escapeHtml(one.name)}</a>`).join(' ')} <a href="${root}docs">All groups</a></nav>`
  const linked = content.replaceAll(/href="#object-(\w+)"/g, (link, name: string) =>
    shared.has(name) ? `href="objects#${objectAnchor(name)}"` : link,
  )
  return renderFrame({ title: group.name, root, lead: renderMarkdown(group.description, root), content: linked })
}

/** Renders /docs/objects: the objects that many groups share. */
function renderObjectsPage(document: JsonObject): string {
  return renderFrame({
    title: 'Common objects',
    root: '../',
    lead: '<p>What the calls of many groups take or answer.</p>',
    content: renderObjects(sharedNames(document), document, '../'),
  })
}

/** An object that more groups than this use is on a page of its own. */
const MAX_GROUPS = 3

/** Lists the named objects of a group's bodies, answers and parameters. */
function usedNames({ operations }: Group, document: JsonObject): string[] {
  const parameters = operations.flatMap((operation) => operation.parameters.map(({ schema }) => schema))
  const holders = operations.flatMap(({ body, answers }) => [...(body ? [body] : []), ...answers])
  const contents = holders.flatMap((one) => one.contents.map(({ schema }) => schema))
  return listNames([...contents, ...parameters], asObject(asObject(document.components).schemas))
}

/** Lists the names of the objects that many groups use. */
function sharedNames(document: JsonObject): string[] {
  const uses = readParts(document).flatMap(({ groups }) => groups.flatMap((group) => usedNames(group, document)))
  return [...Map.groupBy(uses, (name) => name)].filter(([, all]) => all.length > MAX_GROUPS).map(([name]) => name)
}

/** Renders each object as a table of its members. */
function renderObjects(names: readonly string[], document: JsonObject, root: string): string {
  const named = asObject(asObject(document.components).schemas)
  const articles = names.map((name) => {
    const schema = asObject(named[name])
    const id = objectAnchor(name)
    const description = schema.description ? `<p>${renderMarkdown(String(schema.description), root, 'inline')}</p>` : ''
    return `<article id="${id}"><h3><a href="#${id}">${escapeHtml(name)}</a></h3>${description}${renderMembers(schema, root, name)}</article>`
  })
  if (articles.length === 0) return ''
  return `<section aria-labelledby="objects"><h2 id="objects">Objects</h2><div class="stack">${articles.join('\n')}</div></section>`
}
