import { afterAll, describe, expect, test } from 'bun:test'
import { version } from '../../package.json'
import { find } from '../../public/docs-search.js'
import { ERRORS } from '../../src/http/api-error'
import { renderMarkdown, renderMembers, renderType } from '../../src/openapi/html'
import { asObject, type JsonObject } from '../../src/openapi/json-schema'
import { readGroups, slugOf } from '../../src/openapi/reference-model'
import { GUIDES, renderReference } from '../../src/openapi/reference-pages'
import { makeWorld } from '../support/world'

const world = await makeWorld()
const base = world.listen().slice(0, -1)
afterAll(() => world.close())

const document = (await (await fetch(`${base}/openapi.json`)).json()) as JsonObject
const groups = readGroups(document)
/** More than this many bytes are too many for one page. */
const MAX_BYTES = 80 * 1024

const read = async (path: string) => await (await fetch(base + path)).text()
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? '')

test('every operation of the document is on exactly one page', async () => {
  const operations = Object.values(asObject(document.paths)).flatMap((item) => Object.values(asObject(item)))
  const names = operations.map((operation) => String(asObject(operation).operationId))
  expect(groups.flatMap((group) => group.operations.map(({ id }) => id)).toSorted()).toEqual(names.toSorted())
  const overview = await read('/docs')
  for (const { slug } of groups) expect(overview).toContain(`href="./docs/${slug}"`)
})

describe.each(groups)('/docs/$slug', ({ slug, operations }) => {
  test('can be read without a script, is small, and has every call with its three samples', async () => {
    const html = await read(`/docs/${slug}`)
    expect(Buffer.byteLength(html)).toBeLessThan(MAX_BYTES)
    const ids = idsOf(html)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(operations.map(({ id }) => id)))
    expect([...html.matchAll(/<details class="sample"/g)].length).toBe(3 * operations.length)
    expect(html).not.toMatch(/style=|\son\w+=|undefined|\[object /)
  })

  test("says every status that is a call's own", async () => {
    const html = await read(`/docs/${slug}`)
    for (const { id, answers } of operations) {
      const [section = ''] = html.split(`<section class="call" id="${id}"`)[1]?.split('</section>') ?? []
      const statuses = [...section.matchAll(/<dt>(\d+)/g)].map(([, status]) => Number(status))
      expect([id, statuses]).toEqual([id, answers.map(({ status }) => status)])
    }
  })

  test('links only relatively, and to what is there', async () => {
    const html = await read(`/docs/${slug}`)
    const targets = new Set([...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, target]) => target ?? ''))
    const ids = new Set(idsOf(html))
    const errors = new Set(idsOf(await read('/docs/errors')))
    for (const target of targets) {
      expect(target).toMatch(/^(#|\.\.\/|objects#|https:)/)
      if (target.startsWith('#')) expect(ids).toContain(target.slice(1))
      else if (target.startsWith('../docs/errors#')) expect(errors).toContain(target.split('#')[1] ?? '')
      else if (target.startsWith('objects#'))
        expect(idsOf(await read('/docs/objects'))).toContain(target.split('#')[1] ?? '')
      else if (target.startsWith('../')) expect((await fetch(new URL(target, `${base}/docs/${slug}`))).status).toBe(200)
    }
  })
})

test('the overview, guides and error codes are shown before the document is made', async () => {
  const never = () => {
    throw new Error('the document is made')
  }
  for (const slug of ['', 'errors', ...GUIDES.map(({ name }) => `guides/${name}`)])
    expect(await renderReference(slug, never, 'What it *is*.')).toContain('<h1>')
  expect(await renderReference('', never, 'What it *is*.')).toContain('What it <em>is</em>.')
  for (const slug of ['nothing', 'forms', 'guides/nothing']) expect(await renderReference(slug, never, '')).toBeNull()
  for (const slug of ['notes', 'objects', 'index.json', 'forms/notes'])
    expect(renderReference(slug, never, '')).rejects.toThrow('the document is made')
})

test.each(['/docs', '/openapi.json', '/docs/json'])('%s is not sent again to a browser that has it', async (path) => {
  const first = await fetch(base + path)
  const etag = first.headers.get('ETag') ?? ''
  const again = await fetch(base + path, { headers: { 'If-None-Match': etag } })
  expect([first.status, again.status, await again.text(), again.headers.get('ETag')]).toEqual([200, 304, '', etag])
  expect((await fetch(base + path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
})

test.each(['/', '/docs', '/docs/notes', '/docs/errors', '/docs/guides/ten-minutes'])(
  'the page %s names no other host, is asked for each time, and its files are kept for good',
  async (path) => {
    const page = await fetch(base + path)
    expect(page.headers.get('Cache-Control')).toBe('no-cache')
    expect(page.headers.get('ETag')).toMatch(/^"\w+\.br"$/)
    const html = await page.text()
    expect(html).not.toMatch(/<(?:link|script|img)[^>]*(?:src|href)="https?:\/\//)
    const files = [...html.matchAll(/(?:<link rel="(?:icon|stylesheet|modulepreload)" href|src)="([^"]*)"/g)]
    expect(files.length).toBeGreaterThan(0)
    for (const [, address = ''] of files) {
      expect(address).toMatch(/^(?:\.\.\/)*assets\/\w+\/[\w/-]+\.(?:js|css|svg)$/)
      const { pathname } = new URL(address, base + path)
      const [kept, plain] = await Promise.all(
        [pathname, pathname.replace(/^\/assets\/\w+/, '')].map((one) => fetch(base + one)),
      )
      expect(kept?.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
      expect(plain?.headers.get('Cache-Control')).toBe('no-cache')
      expect(await kept?.text()).toBe((await plain?.text()) ?? '')
    }
  },
)

test('the document tells the limits and the version it was given', () => {
  const { version: told, description } = asObject(document.info)
  expect(told).toBe(version)
  expect(description).toMatch(/ 20 requests an hour .* 1000 requests an hour/s)
})

test.each([
  '/docs/nothing',
  '/docs/Notes',
  '/docs/notes%20',
  '/docs/forms%2Fnotes',
  '/docs/notesforms%2F',
  '/docs/guides%2Ften-minutes',
  '/docs/jsonnothing',
  '/docs/forms/nothing',
  '/docs/swagger',
])('%s is not there', async (path) => {
  expect((await fetch(base + path)).status).toBe(404)
})

test.each([
  ['/docs/notes', 'text/html;charset=utf-8'],
  ['/docs/guides/ten-minutes', 'text/html;charset=utf-8'],
  ['/docs/forms/notes', 'application/json'],
  ['/docs/index.json', 'application/json'],
  ['/docs/json', 'application/json'],
])('%s is %s, without a slash at its end', async (path, type) => {
  const response = await fetch(base + path)
  expect([response.status, response.headers.get('Content-Type'), response.headers.has('ETag')]).toEqual([
    200,
    type,
    true,
  ])
  const slashed = await fetch(`${base}${path}/`, { redirect: 'manual' })
  const target = new URL(slashed.headers.get('Location') ?? '', `${base}${path}/`)
  expect([slashed.status, target.pathname]).toEqual([308, path])
})

test.each([
  ['Notes', 'notes'],
  ['Folders, tags and filters', 'folders-tags-and-filters'],
  ['Agents (MCP)', 'agents-mcp'],
])('the slug of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})

test('Markdown of the document keeps its HTML as text, and its links work below any path', () => {
  expect(renderMarkdown('A <b>bold</b> [code](/docs/errors#busy)', '../../')).toBe(
    '<p>A &lt;b&gt;bold&lt;/b&gt; <a href="../../docs/errors#busy">code</a></p>',
  )
  expect(renderMarkdown('[out](//host/x) and `<i>`', '../', 'inline')).toBe(
    '<a href="//host/x">out</a> and <code>&lt;i&gt;</code>',
  )
})

test('the members of an object are rows, with those of objects and lists inside it', () => {
  const source = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
  const schema = { properties: { source, items: { type: 'array', items: source }, next: { type: ['string', 'null'] } } }
  const html = renderMembers(schema, '../', 'Page')
  const names = [...html.matchAll(/<th scope="row"><code>([^<]*)/g)].map(([, name]) => name)
  expect(names).toEqual(['source', 'source.id', 'items', 'items[].id', 'next'])
  expect(html).toContain('string or null')
  expect([...html.matchAll(/<b>required/g)].length).toBe(2)
})

test.each([
  ['1 to 200. Default: 50.', '1 to 200. Default: 50.'],
  ['Default: `50`.', 'Default: <code>50</code>. 1 to 200.'],
  ['How many.', 'How many. 1 to 200. Default: <code>50</code>.'],
])('the limits of a member with the description "%s" are said once', (description, text) => {
  const limit = { type: 'integer', minimum: 1, maximum: 200, default: 50, description }
  expect(renderMembers({ properties: { limit } }, '../', 'Page')).toContain(`<td>${text}</table>`)
})

test.each([
  [{ $ref: '#/components/schemas/Note' }, '<a href="#object-Note">Note</a>'],
  [{ type: 'array', items: { type: 'integer' } }, 'list of integer'],
  [{ type: 'string', format: 'date' }, 'date'],
  [{ const: 'a<b' }, '<code>&quot;a&lt;b&quot;</code>'],
  [{ anyOf: [{ $ref: '#/components/schemas/Note' }, { type: 'null' }] }, '<a href="#object-Note">Note</a> or null'],
  [{}, 'any value'],
])('the type of %j is %s', (schema, text) => {
  expect(renderType(schema)).toBe(text)
})

test('the index of the search has every call and every error code, at addresses that are there', async () => {
  const response = await fetch(`${base}/docs/index.json`)
  expect(response.headers.get('Content-Type')).toBe('application/json')
  const entries = (await response.json()) as { title: string; detail: string; href: string }[]
  const calls = groups.flatMap(({ slug, operations }) => operations.map(({ id }) => `docs/${slug}#${id}`))
  const hrefs = entries.map(({ href }) => href)
  expect(hrefs).toEqual(expect.arrayContaining(calls))
  const codes = Object.keys(ERRORS).map((code) => `docs/errors#${code}`)
  expect(hrefs.length).toBe(calls.length + codes.length + groups.length + GUIDES.length)
  const ids = new Set(idsOf(await read('/docs/errors')))
  for (const code of Object.keys(ERRORS)) expect(ids).toContain(code)
})

test.each([
  ['create note', 'Create a note'],
  ['POST /api/notes', 'Create a note'],
  ['RATE_limited', 'rate_limited'],
  ['how do I create a note?', 'Create a note'],
  ['notes with front matter', 'Create a note'],
  ['too many notes an hour', 'rate_limited'],
])('the search for %s finds %s first', (words, title) => {
  const entries = [
    { title: 'Notes', detail: 'Write and create', href: 'docs/notes', text: '' },
    { title: 'Create a note', detail: 'POST /api/notes', href: 'docs/notes#createNote', text: 'Front matter' },
    {
      title: 'rate_limited',
      detail: 'Error 429: Too many requests',
      href: 'docs/errors#rate_limited',
      text: 'Wait for the hour to end.',
    },
  ]
  expect(find(entries, words)[0]?.title).toBe(title)
})

test.each([
  ['how do I import from Obsidian?', 'Notes in and out'],
  ['import anki', 'Flashcards in and out'],
  ['repeat a task', 'Completing and repeating'],
  ['add a reminder', 'Agenda and reminders'],
])('a person who asks "%s" is led to %s', async (question, title) => {
  const entries = (await (await fetch(`${base}/docs/index.json`)).json()) as Parameters<typeof find>[0]
  const slug = slugOf(title)
  const first = find(entries, question).slice(0, 5)
  expect(first.map(({ href }) => href.split(/[#/]/)[1])).toContain(slug)
})

test.each(['', '  ', 'nothing of this kind'])('the search for "%s" finds nothing', (words) => {
  expect(find([{ title: 'Notes', detail: 'All of them', href: 'docs/notes', text: '' }], words)).toEqual([])
})
