/** The pages of the documentation as HTML: the overview and the reference of each group. They need no script. */

import { SAMPLE_BASE, SAMPLE_KEY } from '../../public/docs-samples.js'
import { renderErrorsPage } from './errors-page'
import { TAG_GROUPS, TAGS } from './groups'
import { GUIDES } from './guides'
import { asObject, type JsonObject } from './json-schema'
import { renderOperation } from './operation-html'
import { listPageEntries } from './page-index'
import { renderFrame } from './reference-frame'
import { type Group, readParts, slugOf } from './reference-model'
import { listForms } from './samples'
import { listNames, objectAnchor, renderMembers } from './schema-html'
import { escapeHtml, renderMarkdown } from './text-html'

const BEGIN = [
  `curl ${SAMPLE_BASE}/api/notes -H 'Content-Type: application/json' -d '{ "body": "# Trip to Lisbon" }'`,
  `curl '${SAMPLE_BASE}/api/search?q=lisbon'`,
  `curl ${SAMPLE_BASE}/api/usage`,
]

/**
 * Renders the page below /docs with this name, `''` for the overview, or returns null if there is none. The index of the
 * search and the forms of a group are JSON.
 * @param document returns the document, which takes a while to make: only the pages of calls and objects ask for it
 * @param about what the API is, in Markdown
 */
export async function renderReference(
  slug: string,
  document: () => Promise<JsonObject>,
  about: string,
): Promise<string | null> {
  if (slug === '') return renderOverview(about)
  if (slug === 'errors') return renderErrorsPage()
  if (slug === 'objects') return renderObjectsPage(await document())
  if (slug === 'index.json') return JSON.stringify(listPageEntries(await document()))
  if (slug.startsWith('guides/')) return renderGuide(slug.slice('guides/'.length))
  const name = slug.replace(/^forms\//, '')
  if (!TAGS.some((tag) => slugOf(tag.name) === name)) return null
  return slug === name ? renderGroupPage(await document(), slug) : JSON.stringify(listForms(await document(), name))
}

/** Renders a guide, or returns null if there is none of this name. */
function renderGuide(name: string): string | null {
  const at = GUIDES.findIndex((one) => one.name === name)
  const guide = GUIDES[at]
  if (!guide) return null
  const root = '../../'
  const text = renderMarkdown(guide.markdown, root).replaceAll('<pre>', '<pre class="block">')
  const next = GUIDES[at + 1]
  const links = [
    next && `<a href="${next.name}">Next: ${escapeHtml(next.title)}</a>`,
    `<a href="${root}docs#guides">All guides</a>`,
  ]
  const content = `<div class="prose guide"${guide.keepsAddress ? ' data-keeps-address' : ''}>${text}</div>
<nav class="row neighbours" aria-label="Other guides">${links.filter(Boolean).join(' ')}</nav>`
  return renderFrame({ title: guide.title, root, lead: '', content })
}

/** Renders /docs: how to begin, and every group with what it is for. */
function renderOverview(about: string): string {
  const root = './'
  const parts = TAG_GROUPS.map(({ name, tags }) => renderPart(name, tags, root))
  return renderFrame({
    title: 'API documentation',
    root,
    lead: '<p>Every call of this server, with what it takes, answers and refuses.</p>',
    // The index of the search needs the document, which is made by the time that a page of calls is opened.
    content: `<link rel="prefetch" href="${root}docs/index.json" as="fetch"><section aria-labelledby="begin"><h2 id="begin">Begin</h2>
<div class="stack"><p>Write a note, find it, and see what is left of this hour. No key is needed to try.</p>
<pre class="block"><code>${escapeHtml(BEGIN.join('\n'))}</code></pre>
<div class="prose">${renderMarkdown(about, root)}</div></div></section>
<section aria-labelledby="guides"><h2 id="guides">Guides</h2><ul class="groups">${GUIDES.map(({ name, title }) => `<li><a href="${root}docs/guides/${name}">${escapeHtml(title)}</a>`).join('\n')}</ul></section>
${parts.join('\n')}
<section aria-labelledby="more"><h2 id="more">More</h2><div><p>What any call may be refused with is not said again at each: <a href="${root}docs/errors">Error codes</a> says what to do about each.</p><ul class="groups"><li><a href="${root}docs/objects">Common objects</a><li><a href="${root}docs/errors">Error codes</a><li><a href="${root}openapi.json">The OpenAPI document</a></ul></div></section>`,
  })
}

function renderPart(name: string, tags: readonly string[], root: string): string {
  const id = `part-${slugOf(name)}`
  const items = TAGS.filter((tag) => tags.includes(tag.name)).map(
    (tag) =>
      `<li><a href="${root}docs/${slugOf(tag.name)}">${escapeHtml(tag.name)}</a><div>${renderMarkdown(tag.description, root, 'inline')}</div>`,
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
  const lead = `${renderMarkdown(group.description, root)}
<p class="fine" id="whose-key">Put your key in the place of <code>${SAMPLE_KEY}</code>, or leave that header out: the free tier. <a href="${root}">The key page</a> makes keys.</p>`
  return renderFrame({ title: group.name, root, lead, content: linked })
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
