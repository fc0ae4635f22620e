import { afterAll, describe, expect, test } from 'bun:test'
import { EnexResource } from '../../../src/notes/import/enml'
import { contradictions } from '../../support/recount'
import { type As, MANY_CALLERS, makeKey, makeWorld, type Shown, stranger } from '../../support/world'

/** The files of Evernote's notes: where the text shows them, under which names they come, and what cannot come. */

const world = await makeWorld({ settings: { ...MANY_CALLERS, FREE_LIMIT_PER_HOUR: '1000' } })
const base = world.listen().slice(0, -1)
afterAll(world.close)

const MIB = 1024 * 1024
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const png = (n: number) => Buffer.concat([PNG, Buffer.from([n])])
const md5 = (data: Uint8Array) => new Bun.CryptoHasher('md5').update(data).digest('hex')
const digest = (data: Uint8Array) => new Bun.CryptoHasher('sha256').update(data).digest('hex').slice(0, 8)

const media = (data: Uint8Array, type = 'image/png') => `<en-media type="${type}" hash="${md5(data)}"/>`
const resource = (data: Uint8Array | string, name: string, mime = 'image/png') =>
  `<resource><data encoding="base64">\n${(typeof data === 'string' ? data : Buffer.from(data).toString('base64')).replace(/.{76}/g, '$&\n')}\n</data><mime>${mime}</mime><width>1</width><resource-attributes>${name && `<file-name>${name}</file-name>`}</resource-attributes></resource>`
const note = (title: string, text: string, ...resources: string[]) =>
  `<note><title>${title}</title><content><![CDATA[<en-note>${text}</en-note>]]></content><created>20260102T030405Z</created>${resources.join('')}</note>`
const enex = (...notes: string[]) => `<?xml version="1.0"?><en-export>${notes.join('')}</en-export>`

async function call(me: As, path: string, body?: string): Promise<Shown> {
  const headers = { 'Content-Type': 'application/enex+xml', ...(me.key === undefined ? {} : { 'X-API-Key': me.key }) }
  const response = await fetch(base + path, body === undefined ? { headers } : { method: 'POST', headers, body })
  expect([path, response.status]).toEqual([path, 200])
  return response.json()
}

const send = (me: As, body: string, query = '') => call(me, `/api/notes/import${query}`, body)
const bodiesOf = async (me: As): Promise<Record<string, string>> => {
  const { items } = await call(me, '/api/notes?limit=50')
  const notes = await Promise.all(items.map(({ id }: { id: string }) => call(me, `/api/notes/${id}`)))
  return Object.fromEntries(notes.map(({ title, body }) => [title, body]))
}
/** The names of all attachments, each with the digest of its bytes. */
const filesOf = async (me: As): Promise<string[]> => {
  const { items } = await call(me, '/api/notes/attachments')
  const read = async ({ id, name, folder }: Record<string, string>) => {
    const response = await fetch(`${base}/api/notes/attachments/${id}`, {
      headers: { 'X-API-Key': me.key ?? '', Accept: 'application/octet-stream' },
    })
    return `${folder ? `${folder}/` : ''}${name} ${digest(await response.bytes())}`
  }
  return Promise.all(items.map(read))
}
const linesOf = (report: Shown) =>
  report.items.map(({ where, action, warnings }: Shown) => [where, action, ...warnings.map(({ code }: Shown) => code)])

const PDF = Buffer.from('%PDF-1.4 one')
const TRIP = enex(
  note(
    'Trip',
    `<div>before ${media(png(1))} after</div><div>${media(PDF, 'application/pdf')}</div>`,
    resource(png(1), 'map.png'),
    resource(PDF, 'a/b/ticket [1].pdf', 'application/pdf'),
    resource(png(2), '', 'image/png'),
  ),
  note('Again', media(png(1)), resource(png(1), 'map.png')),
  note('Other', media(png(3)), resource(png(3), 'map.png')),
)
const OTHER_MAP = `map ${digest(png(3))}.png`
const TRIP_BODIES = {
  Trip: 'before ![[map.png]] after\n\n[[ticket -1-.pdf]]\n\n![[image.png]]\n',
  Again: '![[map.png]]\n',
  Other: `![[${OTHER_MAP}]]\n`,
}

describe('the files of an Evernote export', () => {
  const me = { key: makeKey(4000) }

  test('come in where the text shows them, each name and content once, and HTML shows them', async () => {
    const dry = await send(me, TRIP, '?dry_run=true')
    expect(await filesOf(me)).toEqual([])
    const report = await send(me, TRIP)
    expect(report.resources.attachment).toMatchObject({ created: 4, failed: 0 })
    expect(dry.resources).toEqual(report.resources)
    expect(linesOf(dry)).toEqual(linesOf(report))
    expect(await bodiesOf(me)).toEqual(TRIP_BODIES)
    expect(await filesOf(me)).toEqual([
      `image.png ${digest(png(2))}`,
      `${OTHER_MAP} ${digest(png(3))}`,
      `map.png ${digest(png(1))}`,
      `ticket -1-.pdf ${digest(PDF)}`,
    ])
    const { items } = await call(me, '/api/notes?title=Trip')
    const headers = { 'X-API-Key': me.key, Accept: 'text/html' }
    const html = await (await fetch(`${base}/api/notes/${items[0].id}`, { headers })).text()
    expect(html.match(/<(?:img|a)[^>]* data-attachment-id=/g)?.map((tag) => tag.slice(0, 3))).toEqual([
      '<im',
      '<a ',
      '<im',
    ])
    expect((await call(me, '/api/notes/unresolved')).items).toEqual([])
    expect(await contradictions(world.folder)).toEqual([])
  })

  test('a second time change nothing, whatever comes first in the file', async () => {
    const again = await send(me, TRIP)
    expect(again.resources.attachment).toMatchObject({ unchanged: 4, created: 0 })
    expect(again.resources.note).toMatchObject({ unchanged: 3 })
    const turned = await send(
      me,
      enex(
        note('Other', media(png(3)), resource(png(3), 'map.png')),
        TRIP.slice(TRIP.indexOf('<note>'), TRIP.lastIndexOf('<note>')),
      ),
    )
    expect(turned.resources.note).toMatchObject({ unchanged: 3 })
    expect(turned.resources.attachment).toMatchObject({ unchanged: 4, created: 0 })
  })

  test.each(['skip', 'overwrite', 'copy'])(
    'beside other files with their names get names of their own: on_conflict=%s',
    async (how) => {
      const own = stranger()
      await send(own, enex(note('A', media(png(7)), resource(png(7), 'map.png'))), '?folder=In')
      const from = enex(note('B', `${media(png(8))}<code>[[x.png]]</code>`, resource(png(8), 'MAP.png')))
      for (const action of ['created', 'unchanged']) {
        const report = await send(own, from, `?folder=In&on_conflict=${how}`)
        expect(linesOf(report)).toEqual([
          ['#1 B', action],
          ['#1 B / MAP.png', action],
        ])
      }
      expect(await bodiesOf(own)).toMatchObject({
        A: '![[map.png]]\n',
        B: `![[MAP ${digest(png(8))}.png]]\`[[x.png]]\`\n`,
      })
      expect(await filesOf(own)).toEqual([
        `In/MAP ${digest(png(8))}.png ${digest(png(8))}`,
        `In/map.png ${digest(png(7))}`,
      ])
    },
  )
})

test('what cannot come is a line each, and the rest comes in', async () => {
  const me = stranger()
  const large = Buffer.alloc(32 * MIB + 1)
  const report = await send(
    me,
    enex(
      note('Broken', media(png(1)), resource('iVBO*w0K', 'broken.png')),
      note('Padded', '', resource('AA==AAAA', 'padded.png')),
      note('Cut', '', resource('AAAAA', 'cut.png')),
      note('Hex', '', resource('AAAA', 'hex.png').replace('base64', 'hex')),
      note('Empty', '', resource('', 'empty.png')),
      note('None', '<en-media hash="0123456789abcdef0123456789abcdef" type="image/png"/>'),
      note('Large', media(large), resource(large, 'large.png')),
      note('Marks', media(png(2)), resource(png(2), 'direction\u202egnp.exe')),
      note('Text', '', resource(Buffer.from('# x'), 'readme.md', 'text/markdown')),
      note('Good', media(png(3)), resource('AAA', 'bare.bin', 'x/y'), resource(png(3), '', 'image/jpeg')),
    ),
  )
  expect(linesOf(report)).toEqual([
    ['#1 Broken', 'created', 'attachment_missing'],
    ['#2 Padded', 'created'],
    ['#3 Cut', 'created'],
    ['#4 Hex', 'created'],
    ['#5 Empty', 'created'],
    ['#6 None', 'created', 'attachment_missing'],
    ['#7 Large', 'created'],
    ['#8 Marks', 'created'],
    ['#9 Text', 'created'],
    ['#10 Good', 'created'],
    ['#1 Broken / broken.png', 'failed', 'invalid_base64'],
    ['#2 Padded / padded.png', 'failed', 'invalid_base64'],
    ['#3 Cut / cut.png', 'failed', 'invalid_base64'],
    ['#4 Hex / hex.png', 'failed', 'invalid_base64'],
    ['#5 Empty / empty.png', 'failed', 'missing_file'],
    ['#7 Large / large.png', 'failed', 'too_large'],
    ['#8 Marks / directiongnp.exe', 'created', 'name_changed'],
    ['#9 Text / readme.md.txt', 'created', 'name_changed'],
    ['#10 Good / bare.bin', 'created'],
    ['#10 Good / image.jpg', 'created'],
  ])
  expect(await bodiesOf(me)).toMatchObject({
    Broken: '',
    Large: '![[large.png]]\n',
    Marks: '![[directiongnp.exe]]\n',
    Text: '[[readme.md.txt]]\n',
    Good: '![[image.jpg]]\n\n[[bare.bin]]\n',
  })
  expect(await contradictions(world.folder)).toEqual([])
})

test('in code, in a table and twice', async () => {
  const me = stranger()
  const code = `<div style="-en-codeblock:true;">a${media(png(1))}</div>`
  const table = `<table><tr><td>x${media(png(2))}</td></tr></table>`
  await send(
    me,
    enex(
      note('Code', code, resource(png(1), 'a.png')),
      note('Table', table, resource(png(2), 'b.png'), resource(png(2), 'c.png')),
      note(
        'Twice',
        media(png(1)) + media(png(1)).toUpperCase().replace('EN-MEDIA', 'en-media').replace('HASH', 'hash'),
        resource(png(1), 'a.png'),
      ),
      note(
        'Other data',
        '',
        resource(png(1), 'a.png').replace(
          '</data>',
          '</data><recognition><![CDATA[<x/>]]></recognition><alternate-data><data encoding="hex">00</data><mime>x/y</mime></alternate-data>',
        ),
      ),
    ),
  )
  expect(await bodiesOf(me)).toEqual({
    Code: '```\na\n```\n\n![[a.png]]\n',
    Table: '| x![[b.png]] |\n| --- |\n',
    Twice: '![[a.png]]![[a.png]]\n',
    'Other data': '![[a.png]]\n',
  })
  expect((await filesOf(me)).map((file) => file.split(' ')[0])).toEqual(['a.png', 'b.png'])
})

test.each([
  ['whole', ['A'.repeat(64 * 1024), 'AAA='], null],
  ['without padding', ['A'.repeat(64 * 1024), 'AA'], null],
  ['in pieces of other lengths', ['A'.repeat(64 * 1024 + 1), 'A\nA', 'A'], null],
  ['that goes on after its end', [`${'A'.repeat(64 * 1024 - 2)}==`, 'AAAA'], 'invalid_base64'],
  ['with a letter too many', ['A'.repeat(64 * 1024), 'A'], 'invalid_base64'],
  ['of other signs', ['A'.repeat(64 * 1024), 'AA-_'], 'invalid_base64'],
])('data %s, in several pieces', (_, pieces, code) => {
  const resource = new EnexResource(true)
  for (const piece of pieces) resource.addData(piece)
  expect(resource.finish().fault?.code ?? null).toBe(code)
})
