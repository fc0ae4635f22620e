import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { renderHtml } from '../../src/notes/html/render'
import { listFileTargets, type ShownFile, showFiles } from '../../src/notes/html/shown-files'
import { type As, MANY_CALLERS, makeKey, makeWorld, stranger } from '../support/world'
import { faults } from './html-inert'
import { elementsOf } from './html-tree'
import { VECTORS } from './html-vectors'

/** Files in the HTML of notes: which attachment a target leads to, and by which address a browser loads it. */

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const _DAY_MS = 86_400_000
const ME = { key: makeKey(1) }

const world = await makeWorld({
  settings: { ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '1000', API_LIMIT_PER_HOUR: '5000' },
})
const base = world.listen().slice(0, -1)
afterAll(world.close)

const headersOf = (as: As): Record<string, string> => (as.key === undefined ? {} : { 'X-API-Key': as.key })

async function attach(as: As, path: string, body: string | Uint8Array<ArrayBuffer> = PNG): Promise<string> {
  const levels = path.split('/')
  const query = new URLSearchParams({
    name: levels.pop() ?? '',
    ...(levels.length > 0 ? { folder: levels.join('/') } : {}),
  })
  const made = await fetch(`${base}/api/notes/attachments?${query}`, { method: 'POST', headers: headersOf(as), body })
  expect(made.status).toBe(201)
  return (await made.json()).id
}

/** The HTML of a new note with this body. */
async function htmlOf(as: As, body: string, { folder = null as string | null, query = '' } = {}) {
  const made = await world.call(as, 'POST', '/api/notes', { title: 'T', body, folder })
  const response = await fetch(`${base}/api/notes/${made.body.id}${query}`, {
    headers: { ...headersOf(as), Accept: 'text/html' },
  })
  expect(response.status).toBe(200)
  return { html: await response.text(), headers: response.headers, id: made.body.id as string }
}

/** The ids of the attachments that HTML shows or leads to, in its order. */
const shownIn = (html: string) => elementsOf(html).flatMap(({ attributes }) => attributes['data-attachment-id'] ?? [])
const addressIn = (html: string) => /(?:src|href)="(\/api\/notes\/attachments\/[\w-]+)"/.exec(html)?.[1] ?? ''

describe('a target leads to', () => {
  let me: As = {}
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    me = stranger()
    for (const path of [
      'x.png',
      'img/x.png',
      'Travel/x.png',
      'Travel/2024/img/x.png',
      'Work/img/x.png',
      'img/a b (1).png',
    ])
      ids[path] = await attach(me, path)
    ids['doc.pdf'] = await attach(me, 'docs/doc.pdf', '%PDF-1.7')
    ids['100%.png'] = await attach(me, '100%.png')
  })

  const cases: [folder: string | null, body: string, path: string][] = [
    [null, '![[x.png]]', 'x.png'],
    ['Travel', '![[x.png]]', 'Travel/x.png'],
    ['Travel/2024', '![[img/x.png]]', 'Travel/2024/img/x.png'],
    ['Travel/2024', '![[x.png]]', 'x.png'],
    ['Work', '![[img/x.png]]', 'Work/img/x.png'],
    ['Travel/2024', '![](../x.png)', 'Travel/x.png'],
    ['Travel/2024', '![](../../img/x.png)', 'img/x.png'],
    ['Work', '![](img/x.png)', 'Work/img/x.png'],
    ['Else', '![](img/x.png)', 'img/x.png'],
    [null, '![](./img/x.png)', 'img/x.png'],
    [null, '![](img/a%20b%20%281%29.png)', 'img/a b (1).png'],
    [null, '![](<img/a b (1).png>)', 'img/a b (1).png'],
    [null, '![[A B (1).PNG]]', 'img/a b (1).png'],
    [null, '<img src="img/x.png">', 'img/x.png'],
    [null, '![a][pic]\n\n[pic]: img/x.png', 'img/x.png'],
    [null, '[[doc.pdf]]', 'doc.pdf'],
    [null, '![[doc.pdf#page=2]]', 'doc.pdf'],
    [null, '[the paper](docs/doc.pdf#page=2)', 'doc.pdf'],
    [null, '![](100%.png)', '100%.png'],
    ['Elsewhere/deep', '![[nowhere/doc.pdf]]', 'doc.pdf'],
  ]
  test.each(cases)('in %p: %s', async (folder, body, path) => {
    expect(shownIn((await htmlOf(me, body, { folder })).html)).toEqual([ids[path] ?? ''])
  })

  const none = ['![[y.png]]', '![](img/y.png)', '`![[x.png]]`', '%%![[x.png]]%%', '[[x]]', '![](#x.png)', '\\![[x.png]']
  test.each(none)('nothing: %s', async (body) => {
    expect(shownIn((await htmlOf(me, body)).html)).toEqual([])
  })

  test('a note of that name, where there is one and no file', async () => {
    await world.call(me, 'POST', '/api/notes', { title: 'plan.pdf' })
    expect((await htmlOf(me, '[[plan.pdf]]')).html).toContain('data-note-id')
    await world.call(me, 'POST', '/api/notes', { title: 'doc.pdf' })
    expect(shownIn((await htmlOf(me, '[[doc.pdf]]')).html)).toEqual([ids['doc.pdf'] ?? ''])
  })

  test('the file, from a note that is called like the picture that is all of it', async () => {
    const made = await world.call(me, 'POST', '/api/notes', { body: '![[100%.png]]' })
    expect(made.body.title).toBe('100%.png')
    const headers = { ...headersOf(me), Accept: 'text/html' }
    const html = await (await fetch(`${base}/api/notes/${made.body.id}`, { headers })).text()
    expect(shownIn(html)).toEqual([ids['100%.png'] ?? ''])
  })
})

describe('HTML shows', () => {
  test('a picture, with the size after the bar; a sound and a film with controls; anything else as a link', async () => {
    const me = stranger()
    await attach(me, 'p.png')
    await attach(me, 's.ogg', 'OggS\0\u0002')
    await attach(me, 'z.zip', 'PK')
    await attach(me, 'v.svg', '<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    const { html } = await htmlOf(me, '![[p.png|300x200]] ![[s.ogg]] ![[z.zip]] ![a|40](v.svg)')
    const found = elementsOf(html).filter(({ attributes }) => attributes['data-attachment-id'])
    expect(found.map(({ element }) => element)).toEqual(['img', 'audio', 'a', 'img'])
    expect(found[0]?.attributes).toMatchObject({ width: '300', height: '200' })
    expect(found[3]?.attributes).toMatchObject({ alt: 'a', width: '40' })
  })

  test('what is missing as its text', async () => {
    const { html } = await htmlOf(stranger(), '![[gone.png]] ![a map](img/gone.png) [[gone.pdf]] [x](gone.pdf)')
    expect(html).toBe(
      '<p><a class="wikilink" data-target="gone.png">gone.png</a> <a class="wikilink" data-target="img/gone.png">a map</a> <a data-target="gone.pdf" class="wikilink">gone.pdf</a> <a href="gone.pdf">x</a></p>\n',
    )
  })

  test('nothing of other hosts, unless the reader wants it', async () => {
    const open = '<div>\n<img src="https://example.org/o.png" class="x" \n\n'
    const body = `![map](https://example.org/m.png) <img src="//example.org/n.png">\n\n${open}# a\n\n${open}- [ ] b`
    const { html, headers } = await htmlOf(ME, body)
    expect(elementsOf(html).filter(({ attributes }) => 'src' in attributes)).toEqual([])
    expect(html).toContain('<a href="https://example.org/m.png">map</a>')
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'self'",
    )
    const remote = await htmlOf(ME, body, { query: '?remote=true' })
    expect(remote.html).toContain('<img src="https://example.org/m.png" alt="map" />')
    expect(remote.headers.get('Content-Security-Policy')).toContain("img-src 'self' data: https: http:;")
  })

  test('pictures in addresses, but nothing else in such', async () => {
    const { html } = await htmlOf(
      ME,
      '![](data:image/png;base64,iVBORw0KGgo=) ![a](data:image/svg+xml;base64,PHN2Zz4=) ![b](data:text/html,x) [c](data:image/png;base64,iVBORw0KGgo=)',
    )
    expect(html.match(/data:[^"]*/g)).toEqual(['data:image/png;base64,iVBORw0KGgo='])
  })

  test('pictures in itself with inline=true, up to 2 MiB in all', async () => {
    const me = stranger()
    const large = (seed: number) => Buffer.concat([PNG, Buffer.alloc(1_200_000, seed)])
    await attach(me, 'a.png')
    for (const [i, name] of ['b.png', 'c.png'].entries()) await attach(me, name, Uint8Array.from(large(i)))
    await attach(me, 'd.pdf', '%PDF-1.7')
    const { html } = await htmlOf(me, '![[a.png]] ![[a.png]] ![[b.png]] ![[c.png]] [[d.pdf]]', {
      query: '?inline=true',
    })
    const kinds = [...html.matchAll(/(?:src|href)="(data:image\/png|\/api\/notes)/g)].map(([, kind]) => kind)
    expect(kinds).toEqual(['data:image/png', 'data:image/png', 'data:image/png', '/api/notes', '/api/notes'])
    expect(html).toContain(`data:image/png;base64,${Buffer.from(PNG).toString('base64')}`)
  })

  test('a picture in itself as often as it is shown within 2 MiB, then by its address; links never', async () => {
    const me = stranger()
    await attach(me, 'a.png', Uint8Array.from(Buffer.concat([PNG, Buffer.alloc(600_000)])))
    const { html } = await htmlOf(me, `[[a.png]] ${'![[a.png]] '.repeat(1000)}`, { query: '?inline=true' })
    const kinds = [...html.matchAll(/(?:src|href)="(data:image\/png|\/api\/notes)/g)].map(([, kind]) => kind)
    expect(kinds).toEqual(['/api/notes', ...Array(3).fill('data:image/png'), ...Array(997).fill('/api/notes')])
    expect(html.length).toBeLessThan(3_000_000)
  })

  test('at most 10,000 pictures and links to files; a body with more is shown as its source', async () => {
    const me = stranger()
    await attach(me, 'a.png')
    const most = await htmlOf(me, `${'![r]'.repeat(9999)} [r]\n\n[r]: a.png\n`)
    expect(most.html.split('src="/api/notes/attachments/')).toHaveLength(10_000)
    const { html } = await htmlOf(me, `${'![r]'.repeat(10_000)} [r]\n\n[r]: a.png\n`)
    expect(html).toStartWith('<pre data-fallback="too_complex">![r]')
  })

  test('the other picture, under another ETag, when the file of a name is another one', async () => {
    const me = stranger()
    const first = await attach(me, 'x.png')
    const { id, headers } = await htmlOf(me, '![[x.png]]')
    const read = (etag: string) =>
      fetch(`${base}/api/notes/${id}`, { headers: { ...headersOf(me), Accept: 'text/html', 'If-None-Match': etag } })
    const etag = headers.get('ETag') ?? ''
    expect((await read(etag)).status).toBe(304)
    await fetch(`${base}/api/notes/attachments/${first}`, { method: 'DELETE', headers: headersOf(me) })
    const second = await attach(me, 'x.png')
    const again = await read(etag)
    expect([again.status, shownIn(await again.text())]).toEqual([200, [second]])
  })
})

test('what is missing is listed as unresolved with its kind, until a file of the name is there', async () => {
  const me = stranger()
  await world.call(me, 'POST', '/api/notes', {
    title: 'T',
    body: '![[a.png]] ![[img/B.PNG]] [[c.pdf]] [[v1.2]] [[plain]]',
  })
  await world.call(me, 'POST', '/api/notes', { title: 'U', body: '![[a.png]]' })
  const list = async (query = '') =>
    (await world.call(me, 'GET', `/api/notes/unresolved${query}`)).body.items.map(
      ({ target, kind }: { target: string; kind: string }) => `${kind} ${target}`,
    )
  const [notes, files] = [
    ['note plain', 'note v1.2'],
    ['attachment a.png', 'attachment c.pdf', 'attachment img/B.PNG'],
  ]
  expect(await list()).toEqual(['attachment a.png', 'attachment c.pdf', 'attachment img/B.PNG', ...notes])
  expect([await list('?kind=note'), await list('?kind=attachment')]).toEqual([notes, files])
  const { next_cursor } = (await world.call(me, 'GET', '/api/notes/unresolved?kind=attachment&limit=1')).body
  expect(await list(`?kind=attachment&cursor=${next_cursor}`)).toEqual(files.slice(1))
  expect((await world.call(me, 'GET', `/api/notes/unresolved?cursor=${next_cursor}`)).status).toBe(400)
  const id = await attach(me, 'a.png')
  await attach(me, 'img/b.png')
  expect(await list()).toEqual(['attachment c.pdf', ...notes])
  await fetch(`${base}/api/notes/attachments/${id}`, { method: 'DELETE', headers: headersOf(me) })
  expect(await list('?kind=attachment')).toEqual(['attachment a.png', 'attachment c.pdf'])
})

describe('the missing files of a note', () => {
  const make = async (me: As, body: string, title = 'T') =>
    (await world.call(me, 'POST', '/api/notes', { title, body, folder: 'Work' })).body.id as string
  const unresolved = async (me: As) =>
    (await world.call(me, 'GET', '/api/notes/unresolved')).body.items.map(
      ({ target, kind, count }: { target: string; kind: string; count: number }) => `${kind} ${target} ${count}`,
    )
  const read = async (me: As, id: string) => {
    const { body, headers } = await world.call(me, 'GET', `/api/notes/${id}`)
    return { unresolved: body.links.unresolved, etag: headers.get('ETag') }
  }
  const erase = (me: As, id: string) =>
    fetch(`${base}/api/notes/attachments/${id}`, { method: 'DELETE', headers: headersOf(me) })

  test.each([
    ['![](x.png)', 'x.png'],
    ['![a picture](../img/x%20y.PNG "title")', '../img/x y.PNG'],
    ['[a file](<my plan.pdf>)', 'my plan.pdf'],
    ['![r][]\n\n[r]: ./x.webp', './x.webp'],
    ['![](x.mp4#t=10)', 'x.mp4'],
  ])('are those of %j', async (body, target) => {
    const me = stranger()
    const id = await make(me, body)
    expect(await unresolved(me)).toEqual([`attachment ${target} 1`])
    expect((await read(me, id)).unresolved).toBe(1)
  })

  test.each([
    '![](https://example.org/x.png)',
    '![](data:image/png;base64,iVBORw0KGgo=)',
    '[x](page) [y](#x.png) [z](mailto:x@example.png)',
    '`![](x.png)`',
    'x.png and (y.pdf)',
    '![](//example.org/x.png)',
  ])('are none in %j', async (body) => {
    const me = stranger()
    const id = await make(me, body)
    expect([await unresolved(me), (await read(me, id)).unresolved]).toEqual([[], 0])
  })

  test('are counted while they are missing, under another ETag, and listed by id once stored', async () => {
    const me = stranger()
    const id = await make(me, '![[x.png]] ![](../img/x.png) [[y.pdf]] [[No note]]')
    const links = async () => (await world.call(me, 'GET', `/api/notes/${id}/links`)).body.items
    const files = async () => (await links()).map(({ attachment_id: file }: { attachment_id: string | null }) => file)
    const before = await read(me, id)
    expect([before.unresolved, await files()]).toEqual([4, [null, null, null, null]])
    const first = await attach(me, 'img/X.png')
    const shown = await read(me, id)
    expect([shown.unresolved, await files()]).toEqual([2, [first, first, null, null]])
    expect(shown.etag).not.toBe(before.etag)
    const second = await attach(me, 'x.png')
    expect(await files()).toEqual([second, first, null, null])
    expect((await links())[1]).toEqual({
      ...{ target: '../img/x.png', heading: null, alias: null, embed: true, note_id: null, attachment_id: first },
      ...{ ambiguous: false, missing: null, start: 11, end: 28 },
    })
    await erase(me, first)
    expect(await read(me, id)).toEqual(shown)
    await world.call(me, 'PATCH', `/api/notes/attachments/${second}?update_links=false`, { name: 'y.pdf' })
    expect((await read(me, id)).unresolved).toBe(3)
    expect(await unresolved(me)).toEqual(['attachment ../img/x.png 1', 'note No note 1', 'attachment x.png 1'])
    await erase(me, second)
    expect((await read(me, id)).unresolved).toBe(4)
  })

  test('stay counted when a note of the same name comes and goes', async () => {
    const me = stranger()
    const id = await make(me, '[[x.png]] [[y.png]]')
    await attach(me, 'x.png')
    for (const name of ['x.png', 'y.png']) {
      const note = await make(me, '', name)
      expect((await read(me, id)).unresolved).toBe(name === 'x.png' ? 1 : 0)
      await world.call(me, 'DELETE', `/api/notes/${note}`)
      expect((await read(me, id)).unresolved).toBe(1)
    }
  })

  test('are those of a workspace', async () => {
    const [me, other] = [stranger(), stranger()]
    const id = await make(me, '![](x.png)')
    await attach(other, 'x.png')
    expect([(await read(me, id)).unresolved, await unresolved(me)]).toEqual([1, ['attachment x.png 1']])
  })
})

describe('a signed address', () => {
  test('works without a key, in ranges, and counts to its owner', async () => {
    const me = stranger()
    await attach(me, 'x.png')
    const { html } = await htmlOf(me, '![[x.png]]')
    const left = async () =>
      Number((await fetch(`${base}/api`, { headers: headersOf(me) })).headers.get('X-RateLimit-Remaining'))
    const before = await left()
    const read = await fetch(base + addressIn(html))
    expect([read.status, read.headers.get('Content-Type'), await read.bytes()]).toEqual([200, 'image/png', PNG])
    expect(read.headers.get('Content-Security-Policy')).toBe("sandbox; default-src 'none'")
    expect((await fetch(base + addressIn(html), { headers: { Range: 'bytes=0-3' } })).status).toBe(206)
    expect(before - (await left())).toBe(3)
  })

  test('that is changed, of an attachment that is gone, or of an erased workspace leads nowhere', async () => {
    const me = stranger()
    const id = await attach(me, 'x.png')
    const path = addressIn((await htmlOf(me, '![[x.png]]')).html)
    const token = path.split('/').at(-1) ?? ''
    for (let at = 0; at < token.length; at += 7) {
      const other = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      expect((await fetch(base + path.replace(token, other))).status).toBe(404)
    }
    for (const wrong of ['x', token.slice(1), `${token}A`])
      expect((await fetch(base + path.replace(token, wrong), { headers: headersOf(me) })).status).toBe(400)
    expect((await fetch(base + path)).status).toBe(200)
    await fetch(`${base}/api/notes/attachments/${id}`, { method: 'DELETE', headers: headersOf(me) })
    expect((await fetch(base + path)).status).toBe(404)
    await world.call(me, 'DELETE', '/api/workspace?confirm=erase')
    expect((await fetch(base + path)).status).toBe(404)
  })

  test('reads alone, and takes 60 requests an hour', async () => {
    const me = stranger()
    await attach(me, 'x.png')
    const path = addressIn((await htmlOf(me, '![[x.png]]')).html)
    expect((await fetch(base + path, { method: 'DELETE' })).status).toBe(400)
    const statuses: number[] = []
    for (let i = 0; i < 61; i++) statuses.push((await fetch(base + path)).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('whatever a body holds', () => {
  const file: ShownFile = { id: '1', name: '"><script>x</script>', type: 'application/octet-stream', address: '/api/f' }
  const picture: ShownFile = { ...file, type: 'image/png' }
  /** As a page shows it, where every target is a file, and where none is. */
  const shown = (markdown: string, answer: ShownFile | null) => {
    const rendered = renderHtml(markdown, () => null, { files: true, remote: false })
    return showFiles(rendered, new Map(answer ? listFileTargets(rendered).map((target) => [target, answer]) : []))
  }
  // What this step adds to the closed list.
  const known = /^<(?:img|a|audio|video) data-attachment-id="1">$|^<a href="\/api\/f">$/

  test.each(Object.entries(VECTORS))('%s: nothing but the closed list comes out', (_, texts) => {
    for (const text of texts)
      for (const answer of [null, file, picture]) {
        const html = shown(text, answer)
        const found = faults(html).filter((fault) => !known.test(fault))
        if (found.length > 0) expect({ text, html, found }).toBeNull()
      }
  })

  const forged = [
    '[x](satchel-file:javascript%3Aalert(1).pdf)',
    '<a href="satchel-file:javascript%3Aalert(1)">x</a>',
    '<img src="satchel-file:javascript%3Aalert(1)">',
    '<a href=" satchel-file:javascript%3Aalert(1)">x</a>',
    '<a href="java\tscript:alert(1)//x.pdf">x</a>',
    '[x](\\\\evil.example/x.pdf)',
    '[x](//evil.example/x.pdf)',
    '<img src="\\\\evil.example/x.png">',
    '![[javascript:alert(1).png]]',
    '[[//evil.example/x.pdf]]',
    '![a"onerror="alert(1)](x.png)',
    'text <img src="satchel-file:x" &lt;img src="satchel-file:y"&gt;',
    '![](%E0%A4%A.png) [[\ud800.png]]',
  ]
  test.each(forged)('%j is forged in vain', (markdown) => {
    for (const answer of [null, file, picture]) {
      const html = shown(markdown, answer)
      for (const { element, attributes } of elementsOf(html))
        for (const name of ['href', 'src']) {
          const url = new URL(attributes[name] ?? '', 'https://notes.example/api/')
          expect([element, url.protocol, url.host]).toEqual([element, 'https:', 'notes.example'])
        }
      expect(elementsOf(html).flatMap(({ attributes }) => Object.keys(attributes))).not.toContain('onerror')
    }
  })
})
