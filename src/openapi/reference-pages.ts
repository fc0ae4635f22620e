import { STATUS_CODES } from 'node:http'
import backup from '../../docs/guides/backup-and-upgrade.md' with { type: 'text' }
import proxy from '../../docs/guides/behind-a-proxy.md' with { type: 'text' }
import calendars from '../../docs/guides/calendars.md' with { type: 'text' }
import movingIn from '../../docs/guides/moving-in.md' with { type: 'text' }
import models from '../../docs/guides/ollama-and-openai-clients.md' with { type: 'text' }
import tenMinutes from '../../docs/guides/ten-minutes.md' with { type: 'text' }
import client from '../../docs/guides/typescript-client.md' with { type: 'text' }
import { SAMPLE_BASE, SAMPLE_KEY } from '../../public/docs-samples.js'
import { ApiError, ERRORS, errorBody } from '../http/api-error'
import { TAG_GROUPS, TAGS } from './groups'
import { objectAnchor, renderMarkdown, renderMembers } from './html'
import { asObject, type JsonObject, listReferences } from './json-schema'
import { listForms, renderOperation } from './operation-html'
import { type Group, readGroups, slugOf } from './reference-model'

/** The pages of the documentation as HTML: the overview and the reference of each group. They need no script. */

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

function renderGuide(name: string): string | null {
  const at = GUIDES.findIndex((one) => one.name === name)
  const guide = GUIDES[at]
  if (!guide) return null
  const root = '../../'
  const text = renderMarkdown(guide.markdown, root).replaceAll('<pre>', '<pre class="block">')
  const next = GUIDES[at + 1]
  const links = [
    next && `<a href="${next.name}">Next: ${Bun.escapeHTML(next.title)}</a>`,
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
<pre class="block"><code>${Bun.escapeHTML(BEGIN.join('\n'))}</code></pre>
<div class="prose">${renderMarkdown(about, root)}</div></div></section>
<section aria-labelledby="guides"><h2 id="guides">Guides</h2><ul class="groups">${GUIDES.map(({ name, title }) => `<li><a href="${root}docs/guides/${name}">${Bun.escapeHTML(title)}</a>`).join('\n')}</ul></section>
${parts.join('\n')}
<section aria-labelledby="more"><h2 id="more">More</h2><div><p>What any call may be refused with is not said again at each: <a href="${root}docs/errors">Error codes</a> says what to do about each.</p><ul class="groups"><li><a href="${root}docs/objects">Common objects</a><li><a href="${root}docs/errors">Error codes</a><li><a href="${root}openapi.json">The OpenAPI document</a></ul></div></section>`,
  })
}

function renderPart(name: string, tags: readonly string[], root: string): string {
  const id = `part-${slugOf(name)}`
  const items = TAGS.filter((tag) => tags.includes(tag.name)).map(
    (tag) =>
      `<li><a href="${root}docs/${slugOf(tag.name)}">${Bun.escapeHTML(tag.name)}</a><div>${renderMarkdown(tag.description, root, 'inline')}</div>`,
  )
  return `<section aria-labelledby="${id}"><h2 id="${id}">${Bun.escapeHTML(name)}</h2>
<ul class="groups">${items.join('\n')}</ul></section>`
}

/** Renders the reference of a group, or returns null if no group has this slug. */
function renderGroupPage(document: JsonObject, slug: string): string | null {
  const groups = readGroups(document)
  const at = groups.findIndex((group) => group.slug === slug)
  const group = groups[at]
  if (!group) return null
  const root = '../'
  const neighbours = [groups[at - 1], groups[at + 1]].flatMap((one) => (one ? [one] : []))
  const calls = group.operations.map(({ id, summary }) => `<li><a href="#${id}">${Bun.escapeHTML(summary)}</a></li>`)
  const shared = new Set(sharedNames(document))
  const own = usedNames(group, document).filter((name) => !shared.has(name))
  const content = `<nav class="calls" aria-label="Calls on this page"><ul>${calls.join('\n')}</ul></nav>
${group.operations.map((operation) => renderOperation(operation, root)).join('\n')}
${renderObjects(own, document, root)}
<nav class="row neighbours" aria-label="Other groups">${neighbours.map((one) => `<a href="${root}docs/${one.slug}">${Bun.escapeHTML(one.name)}</a>`).join(' ')} <a href="${root}docs">All groups</a></nav>`
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
  return [...listReferences([...contents, ...parameters], asObject(asObject(document.components).schemas))]
}

function sharedNames(document: JsonObject): string[] {
  const uses = readGroups(document).flatMap((group) => usedNames(group, document))
  return [...Map.groupBy(uses, (name) => name)].filter(([, all]) => all.length > MAX_GROUPS).map(([name]) => name)
}

function renderObjects(names: readonly string[], document: JsonObject, root: string): string {
  const named = asObject(asObject(document.components).schemas)
  const articles = names.map((name) => {
    const schema = asObject(named[name])
    const id = objectAnchor(name)
    const description = schema.description ? `<p>${renderMarkdown(String(schema.description), root, 'inline')}</p>` : ''
    return `<article id="${id}"><h3><a href="#${id}">${Bun.escapeHTML(name)}</a></h3>${description}${renderMembers(schema, root, name)}</article>`
  })
  if (articles.length === 0) return ''
  return `<section aria-labelledby="objects"><h2 id="objects">Objects</h2><div class="stack">${articles.join('\n')}</div></section>`
}

interface Page {
  readonly title: string
  /** The way from the page to the root: `./`, `../` or `../../`. */
  readonly root: string
  /** HTML, as `content` is. */
  readonly lead: string
  readonly content: string
}

/** Puts a page into the frame that all pages of the documentation have: masthead, script, styles and foot. */
function renderFrame({ title, root, lead, content }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(title)} – Satchel</title>
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
<h1>${Bun.escapeHTML(title)}</h1>
${lead && `<div class="lead">${lead}</div>`}
</div>
${content}
</main>
<footer class="foot"><a href="${root}">Your keys</a> <a href="${root}docs">API documentation</a> <a href="${root}docs/errors">Error codes</a> <a href="${root}openapi.json">OpenAPI</a></footer>
<div id="said" class="unseen" role="status"></div>
</body>
</html>
`
}

/** /docs/errors: every error code, what it means and what to do about it, from the one table of codes. */

type Code = keyof typeof ERRORS

const CODES = Object.keys(ERRORS) as Code[]

/** Renders the page as HTML. Each code is an anchor, to which the `type` of an error response points. */
export function renderErrorsPage(): string {
  const statuses = [...new Set(CODES.map((code) => ERRORS[code].status))].sort((a, b) => a - b)
  return renderFrame({
    title: 'Error codes',
    root: '../',
    lead: '<p>Every failure has one of these values as its <code>code</code>. Codes are stable: one may be added, none changes its meaning.</p>',
    content: `<section aria-labelledby="shape">
<h2 id="shape">The shape</h2>
<div>
<p class="intro">Programs should check <code>code</code>. <code>detail</code> is for people, and says what was wrong this time; <code>error</code> repeats it for clients that look there. The log of the server has the <code>request_id</code>. Some codes have additional members.</p>
<pre class="block">${renderExample()}</pre>
<p class="fine">Ollama’s paths, <code>/api/chat</code> among them, send the same object as <code>application/json</code>, the only type under which clients of Ollama read errors; they show <code>error</code>. Those below <code>/api/openai</code> answer as OpenAI’s clients read errors: with an object <code>error</code> with <code>message</code>, <code>type</code>, <code>param</code> and <code>code</code>, and in <code>x_satchel</code> the code and the additional members. <code>/api/mcp</code> answers with errors of JSON-RPC, whose <code>data</code> has the code and the additional members.</p>
</div>
</section>
${statuses.map(renderStatus).join('\n')}`,
  })
}

function renderExample(): string {
  const refusal = new ApiError('not_found', 'There is no note with this id in your workspace.')
  return Bun.escapeHTML(JSON.stringify(errorBody(refusal, '0193b2c4-7a10-7000-8000-4d5e6f708192'), null, 2))
}

/** Renders all codes of one status, in the order of the table: the most common first. */
function renderStatus(status: number): string {
  const codes = CODES.filter((code) => ERRORS[code].status === status)
  return `<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${status} <span class="phrase">${STATUS_CODES[status] ?? ''}</span></h2>
<div>
${codes.map(renderCode).join('\n')}
</div>
</section>`
}

function renderCode(code: Code): string {
  const { status, title, help } = ERRORS[code]
  const helpHtml = Bun.escapeHTML(help).replace(/`([^`]+)`/g, '<code>$1</code>')
  return `<article class="problem" id="${code}">
<h3><a href="#${code}"><code>${code}</code></a></h3>
<p class="fine">${status} ${Bun.escapeHTML(title)}</p>
<p>${helpHtml}</p>
</article>`
}

/** What the search of the documentation finds. Pure. */

interface PageEntry {
  readonly title: string
  /** What it is: a call's method and path, or words. It is searched, too. */
  readonly detail: string
  /** Its address from the root of the server, without the first slash. */
  readonly href: string
  /** What else it is found by. */
  readonly text: string
}

/** Characters of a description in the index: what is looked for is said first. */
const MAX_TEXT = 200

function listPageEntries(document: JsonObject): PageEntry[] {
  const groups = readGroups(document)
  const calls = groups.flatMap(({ slug, operations }) =>
    operations.map(({ id, summary, description, method, path }) => ({
      title: summary,
      detail: `${method} ${path}`,
      href: `docs/${slug}#${id}`,
      text: description.slice(0, MAX_TEXT),
    })),
  )
  const pages = groups.map(({ name, slug, description }) => ({
    title: name,
    detail: description,
    href: `docs/${slug}`,
    text: '',
  }))
  const errors = Object.entries(ERRORS).map(([code, { status, title, help }]) => ({
    title: code,
    detail: `Error ${status}: ${title}`,
    href: `docs/errors#${code}`,
    text: help,
  }))
  const guides = GUIDES.map(({ name, title, markdown }) => ({
    title,
    detail: 'Guide',
    href: `docs/guides/${name}`,
    text: [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading).join(' '),
  }))
  return [...guides, ...pages, ...calls, ...errors]
}

/** The guides: Markdown files that the server shows below /docs/guides. */

export interface Guide {
  /** The last part of its address. */
  readonly name: string
  readonly title: string
  readonly markdown: string
  /** Whether its commands are for the machine of the server: the page must not put the address that its reader uses. */
  readonly keepsAddress?: boolean
}

export const GUIDES: readonly Guide[] = [
  readGuide('ten-minutes', tenMinutes),
  readGuide('moving-in', movingIn),
  readGuide('calendars', calendars),
  readGuide('ollama-and-openai-clients', models),
  readGuide('typescript-client', client),
  readGuide('backup-and-upgrade', backup),
  readGuide('behind-a-proxy', proxy, true),
]

function readGuide(name: string, text: string, keepsAddress = false): Guide {
  const [heading = '', ...rest] = text.split('\n')
  return { name, title: heading.replace('# ', ''), markdown: rest.join('\n'), keepsAddress }
}
