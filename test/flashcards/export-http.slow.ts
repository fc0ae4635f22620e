import { afterAll, describe, expect, test } from 'bun:test'
import { createStudyExports } from '../../src/flashcards/export/export'
import { contradictions } from '../support/recount'
import { packageOf } from './anki/build'
import { factsIn, itemsOf } from './anki/support'
import type { Shown } from './support'
import { counted, makeTransferWorld, STUDIED_SOURCE } from './transfer-support'

const world = await makeTransferWorld()
afterAll(world.close)

const file = packageOf('legacy1', STUDIED_SOURCE)

async function learner() {
  const me = world.stranger()
  expect((await world.send(me, 'format=apkg', file)).status).toBe(200)
  return me
}

describe('where facts came from, and their notes,', () => {
  const NOTES = ['01980000-0000-7000-8000-00000000000a', '01980000-0000-7000-8000-00000000000b']
  const GIVEN = [
    { source: { system: 'anki', id: 'g "1", x', url: 'https://example.org/?a,b' }, note_ids: NOTES },
    { source: { system: ' own', id: 'x\ny ', url: null }, note_ids: NOTES.slice(1) },
    { source: { system: null, id: null, url: 'https://example.org/' }, note_ids: [] },
    { source: null, note_ids: [] },
  ]

  async function sourced() {
    const me = world.stranger()
    for (const id of NOTES) await world.callAny(me, 'POST', '/api/notes', { id, title: id })
    const { id: deck_id } = await world.deck(me, { name: 'D' })
    for (const [i, given] of GIVEN.entries()) await world.fact(me, { deck_id, front: `${i}`, back: 'b', ...given })
    return me
  }

  const told = async (as: object) =>
    (await world.all(as, '/facts'))
      .toSorted((a, b) => (a.front < b.front ? -1 : 1))
      .map(({ source, note_ids }) => ({ source, note_ids }))

  test('go over in csv whole; a note that is not there is reported', async () => {
    const [me, other, third] = [await sourced(), world.stranger(), world.stranger()]
    const file = await world.exported(me, 'format=csv')
    await world.callAny(other, 'POST', '/api/notes', { id: NOTES[1], title: 'only one' })
    const reports = [await world.send(other, 'format=csv', file), await world.send(third, 'format=csv', file)]
    const without = (lost: readonly string[]) =>
      GIVEN.map(({ source, note_ids }) => ({ source, note_ids: note_ids.filter((id) => !lost.includes(id)) }))
    expect([await told(other), await told(third)]).toEqual([without(NOTES.slice(0, 1)), without(NOTES)])
    const warned = reports.map(({ body }) => body.items.flatMap(({ warnings }: Shown) => warnings).length)
    expect([reports.map(({ body }) => body.totals.failed), warned]).toEqual([
      [0, 0],
      [1, 2],
    ])
    const again = (await world.send(me, 'format=csv', file)).body
    expect([counted(again).fact, await told(me)]).toEqual([{ unchanged: 4 }, GIVEN])
  })

  test('go over in a package but for the notes, and come back to where they were', async () => {
    const [me, other] = [await sourced(), world.stranger()]
    const ids = Object.fromEntries((await world.all(me, '/facts')).map(({ front, id }) => [front, id]))
    const there = [
      { system: 'anki', id: ids[2], url: 'https://example.org/' },
      { system: 'anki', id: ids[3], url: null },
    ]
    await world.send(other, 'format=apkg', await world.exported(me, 'format=apkg'))
    expect((await told(other)).map(({ source }) => source)).toEqual([GIVEN[0]?.source, GIVEN[1]?.source, ...there])
    await world.call(other, 'PATCH', `/facts/${(await world.all(other, '/facts?q=3'))[0].id}`, { back: 'new' })
    world.clock.now += 86_400_000
    const back = await world.send(me, 'format=apkg', await world.exported(other, 'format=apkg'))
    expect([back.body.totals.created, (await world.all(me, '/facts')).length]).toEqual([0, 4])
    expect(await told(me)).toEqual(GIVEN)
  })

  test('fail in a line that has half a name, too many notes or no address, and the others come', async () => {
    const many = Array.from({ length: 21 }, (_, i) => `n${i}`).join(' ')
    const rows = ['a,s,i,http://a,', 'b,s,,,', 'c,,i,,', 'd,,,ftp://a,', `e,,,,${many}`, 'f,,,http://a,n1 n2']
    const file = ['front,source_system,source_id,source_url,note_ids,back', ...rows.map((row) => `${row},b`)].join('\n')
    const me = world.stranger()
    const { body } = await world.send(me, 'format=csv', file)
    const codes = body.items.flatMap(({ where, warnings }: Shown) =>
      warnings.map(({ code }: Shown) => `${where} ${code}`),
    )
    expect(codes).toEqual([
      'line 3 required',
      'line 4 required',
      'line 5 invalid_url',
      'line 6 too_many',
      'line 7 unknown_note',
    ])
    expect(await told(me)).toEqual([
      { source: { system: 's', id: 'i', url: 'http://a' }, note_ids: [] },
      { source: { system: null, id: null, url: 'http://a' }, note_ids: [] },
    ])
  })
})

test.each(['apkg', 'csv'])('an export of %s, imported where it came from, changes nothing', async (format) => {
  const me = await learner()
  const exported = await world.exported(me, `format=${format}`)
  const seq = await world.latestSeq(me)
  const { body } = await world.send(me, `format=${format}`, exported)
  expect(counted(body).fact).toEqual({ unchanged: 3 })
  expect([body.totals.created, body.totals.updated, body.totals.failed]).toEqual([0, 0, 0])
  expect(await world.latestSeq(me)).toBe(seq)
})

test('an export leaves content and seq as they are, and the same content makes the same bytes', async () => {
  const me = await learner()
  const [seq, before] = [await world.latestSeq(me), await world.studied(me)]
  for (const format of ['apkg', 'csv']) {
    const first = await world.exported(me, `format=${format}`)
    expect(Buffer.compare(first, await world.exported(me, `format=${format}`))).toBe(0)
  }
  expect([await world.latestSeq(me), await world.studied(me)]).toEqual([seq, before])
  expect(await contradictions(world.folder)).toEqual([])
})

test('of one deck: its subdecks, and the media that its facts name; without schedules cards are new', async () => {
  const me = await learner()
  const decks = await world.all(me, '/decks')
  const idOf = (name: string) => decks.find((deck) => deck.name === name)?.id
  const packed = async (query: string) => await itemsOf(await world.exported(me, `format=apkg${query}`))
  const languages = await packed(`&deck_id=${idOf('Languages')}`)
  const pathsOf = (items: typeof languages) =>
    items.flatMap((item) => (item.kind === 'deck' ? [item.path.join('::')] : []))
  expect(pathsOf(languages)).toEqual(['Languages', 'Languages::Portuguese'])
  expect(factsIn(languages).map(({ cards, log }) => [cards.length, log.length])).toEqual([[1, 2]])
  expect(languages.filter(({ kind }) => kind === 'media')).toHaveLength(1)
  expect(factsIn(await packed(`&deck_id=${idOf('Portuguese')}`))).toEqual(factsIn(languages))
  expect((await packed(`&deck_id=${idOf('Geography')}`)).filter(({ kind }) => kind === 'media')).toEqual([])
  const items = await itemsOf(await world.exported(me, 'format=apkg&scheduling=false&media=false'))
  expect(factsIn(items).flatMap(({ cards }) => cards.map(({ state }) => state))).toEqual(Array(4).fill('new'))
  expect(items.filter(({ kind }) => kind === 'media')).toEqual([])
})

test('what is in the trash is not exported, and a deck there is refused', async () => {
  const me = await learner()
  const [geography] = await world.all(me, '/decks')
  await world.call(me, 'DELETE', `/decks/${geography.id}`)
  const rows = Buffer.from(await world.exported(me, 'format=csv'))
    .toString()
    .trimEnd()
    .split('\n')
  expect(rows.slice(1)).toEqual([expect.stringContaining('the **river**')])
  expect(rows.join()).not.toContain('Geography')
  expect((await world.fetched(me, `format=csv&deck_id=${geography.id}`)).status).toBe(409)
  const lost = '01900000-0000-7000-8000-0000000fffff'
  expect((await world.fetched(me, `format=csv&deck_id=${lost}`)).status).toBe(404)
  for (const query of ['', 'format=pdf', 'format=csv&deck_id=x', 'format=csv&media=1', 'format=csv&colour=red'])
    expect([query, (await world.fetched(me, query)).status]).toEqual([query, 400])
})

test('the answer is a file to save; HEAD has its headers alone', async () => {
  const me = await learner()
  const { headers } = await world.fetched(me, 'format=apkg')
  expect(headers.get('Content-Disposition')).toBe('attachment; filename="flashcards.apkg"')
  expect(headers.get('Content-Type')).toBe('application/octet-stream')
  const head = await fetch(`${world.base}/export?format=csv`, {
    method: 'HEAD',
    headers: { 'X-API-Key': me.key ?? '' },
  })
  expect([head.status, head.headers.get('Content-Type'), await head.text()]).toEqual([
    200,
    'text/csv; charset=utf-8',
    '',
  ])
})

describe('an export that would be too large', () => {
  test.each(['apkg', 'csv'] as const)('is refused before its first byte: %s', async (format) => {
    const me = await learner()
    const session = world.sessionOf(me)
    const exports = createStudyExports({ now: () => 0, snapshot: () => world.db.snapshot(), limit: 200 })
    for (let time = 0; time < 3; time++)
      await expect(exports.export(session, { format })).rejects.toMatchObject({ code: 'too_large' })
    const large = createStudyExports({ now: () => 0, snapshot: () => world.db.snapshot() })
    expect((await new Response(await large.export(session, { format })).bytes()).length).toBeGreaterThan(200)
  })

  test('counts the media as well', async () => {
    const me = await learner()
    const session = world.sessionOf(me)
    const limited = (limit: number) =>
      createStudyExports({ now: () => 0, snapshot: () => world.db.snapshot(), limit }).export(session, {
        format: 'apkg',
      })
    const { length } = new Uint8Array(await new Response(await limited(300_000)).arrayBuffer())
    expect(length).toBeLessThan(100_000)
    await world.putMedia(me, 'large.bin', Buffer.alloc(290_000, 'abc'))
    await expect(limited(300_000)).rejects.toMatchObject({ code: 'too_large' })
  })
})

test('while an export is made others are served between its parts', async () => {
  const me = world.stranger()
  const rows = Array.from({ length: 1000 }, (_, i) => `front ${i},back ${i}`).join('\n')
  expect((await world.send(me, 'format=csv', rows)).status).toBe(200)
  const session = world.sessionOf(me)
  const exports = createStudyExports({ now: () => 0, snapshot: () => world.db.snapshot() })
  for (const format of ['apkg', 'csv'] as const) {
    let [turns, done] = [0, false]
    const count = () => {
      turns += 1
      if (!done) setImmediate(count)
    }
    setImmediate(count)
    await new Response(await exports.export(session, { format })).bytes()
    done = true
    // A turn for every fifty facts.
    expect([format, turns >= 20]).toEqual([format, true])
  }
})

test('csv is packed for those who accept gzip, and comes in packed', async () => {
  const me = await learner()
  const fetched = (accept: string, format = 'csv', method = 'GET') =>
    fetch(`${world.base}/export?format=${format}`, {
      method,
      headers: { 'X-API-Key': me.key ?? '', 'Accept-Encoding': accept },
      decompress: false,
    })
  const plain = Buffer.from(await (await fetched('identity')).bytes())
  for (const accept of ['gzip', 'br, GZIP;q=0.5', 'deflate, x-gzip']) {
    const response = await fetched(accept)
    expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
      'gzip',
      expect.stringContaining('Accept-Encoding'),
    ])
    expect(Buffer.from(Bun.gunzipSync(await response.bytes())).equals(plain)).toBe(true)
  }
  for (const [accept, format] of [['br'], ['gzip;q=0'], ['gzip', 'apkg']])
    expect((await fetched(accept ?? '', format)).headers.get('content-encoding')).toBeNull()
  expect(await (await fetched('gzip', 'csv', 'HEAD')).text()).toBe('')
  const packed = Bun.gzipSync(new Uint8Array(plain))
  const { status, body } = await world.send(world.stranger(), 'format=csv', packed, { 'Content-Encoding': 'gzip' })
  expect([status, body.totals.failed]).toEqual([200, 0])
})
