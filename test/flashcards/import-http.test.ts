import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spent } from '../support/cost'
import { contradictions } from '../support/recount'
import type { As } from '../support/world'
import { packageOf } from './anki/build'
import { fixture } from './anki/support'
import { type File, makeTransferWorld, STUDIED_SOURCE } from './transfer-support'

let world: Awaited<ReturnType<typeof makeTransferWorld>>
beforeAll(async () => {
  world = await makeTransferWorld()
})
afterAll(() => world.close())

const send: (typeof world)['send'] = (...sent) => world.send(...sent)
const latestSeq = (me: As) => world.latestSeq(me)
const NOTHING = { new: 0, updated: 0, duplicate: 0, skipped: 0, split: 0 }

const CSV = [
  'deck,type,front,back,text,tags,external_id',
  'Geo::Europe,basic,Capital of Spain?,Madrid,,es travel,a1',
  'Geo::Europe,cloze,,,{{c1::Rome}} is in {{c2::Italy}},,',
  'Geo,reversed,hund,dog,,,',
  ',basic,no deck,x,,,',
  'Geo,basic,no back,,,,',
].join('\n')

describe('text', () => {
  test('a CSV makes decks, facts and cards; the second time nothing changes', async () => {
    const me = world.stranger()
    const { status, body } = await send(me, 'format=csv', CSV)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      dry_run: false,
      decks: 3,
      facts: { ...NOTHING, new: 4, skipped: 1 },
      cards: 6,
      reviews: 0,
    })
    expect(body.lines).toEqual([{ where: 'line 6', code: 'too_short', detail: 'back must not be blank' }])
    const decks = (await world.all(me, '/decks')).map(({ name }) => name)
    expect(decks).toEqual(['Europe', 'Geo', 'Imported'])
    const facts = await world.all(me, '/facts')
    expect(facts[0]).toMatchObject({ front: 'Capital of Spain?', tags: ['es', 'travel'], external_id: 'a1' })
    const seq = await latestSeq(me)
    const again = (await send(me, 'format=csv', CSV)).body
    expect(again).toMatchObject({ decks: 0, facts: { ...NOTHING, duplicate: 4, skipped: 1 }, cards: 0 })
    expect(await latestSeq(me)).toBe(seq)
  })

  test('a dry run reports what the import will, and leaves content and seq as they are', async () => {
    const me = world.stranger()
    await send(me, 'format=csv', CSV)
    const changed = CSV.replace('Madrid', 'Madrid!').replace('hund', 'katze')
    const seq = await latestSeq(me)
    const tried = (await send(me, 'format=csv&dry_run=true', changed)).body
    expect([tried.dry_run, await latestSeq(me)]).toEqual([true, seq])
    const done = (await send(me, 'format=csv', changed)).body
    expect(done).toEqual({ ...tried, dry_run: false })
    expect(done.facts).toEqual({ ...NOTHING, new: 1, updated: 1, duplicate: 2, skipped: 1 })
  })

  test('on_duplicate: what is here is updated, skipped, or stands beside another', async () => {
    const me = world.stranger()
    await send(me, 'format=csv', CSV)
    const changed = CSV.replace('Madrid', 'Sevilla')
    const facts = async () => (await world.all(me, '/facts?q=spain')).map(({ back }) => back)
    expect((await send(me, 'format=csv&on_duplicate=skip', changed)).body.facts).toMatchObject({ new: 0, duplicate: 4 })
    expect(await facts()).toEqual(['Madrid'])
    expect((await send(me, 'format=csv&on_duplicate=create', changed)).body.facts).toMatchObject({ new: 4 })
    expect(await facts()).toEqual(['Madrid', 'Sevilla'])
    expect((await send(me, 'format=csv&on_duplicate=update', changed)).body.facts).toMatchObject({ new: 0, updated: 1 })
    expect(await facts()).toEqual(['Sevilla', 'Sevilla'])
  })

  test('an older file does not undo a newer fact, and what is in the trash stays there', async () => {
    const me = world.stranger()
    const file = (back: string, at: string) =>
      `front,back,external_id,external_modified_at\nf,${back},x,2026-01-0${at}T00:00:00.000Z`
    await send(me, 'format=csv', file('two', '2'))
    expect((await send(me, 'format=csv', file('one', '1'))).body.facts).toMatchObject({ duplicate: 1 })
    expect((await send(me, 'format=csv', file('three', '3'))).body.facts).toMatchObject({ updated: 1 })
    const [fact] = await world.all(me, '/facts')
    expect(fact.back).toBe('three')
    await world.call(me, 'DELETE', `/facts/${fact.id}`)
    expect((await send(me, 'format=csv', file('four', '4'))).body.facts).toMatchObject({ duplicate: 1 })
    expect(await world.all(me, '/facts')).toEqual([])
  })

  test('Markdown goes below the deck that is asked for; HTML of tabs becomes Markdown', async () => {
    const me = world.stranger()
    const deck = await world.deck(me)
    const markdown = await send(me, `format=markdown&deck_id=${deck.id}`, 'Q: one?\nA: 1\n\nhund :: dog\n')
    expect(markdown.body).toMatchObject({ decks: 0, facts: { new: 2 }, cards: 2 })
    const tsv = await send(me, `format=tsv&deck_id=${deck.id}`, '#html:true\n#deck:Sub\n<b>bold</b>\tx<br>y\n')
    expect(tsv.body).toMatchObject({ decks: 1, facts: { new: 1 } })
    const sub = (await world.all(me, '/decks')).find(({ name }) => name === 'Sub')
    expect(sub.parent_id).toBe(deck.id)
    expect((await world.all(me, '/facts?q=bold'))[0]).toMatchObject({ front: '**bold**', deck_id: sub.id })
  })

  test('a multipart body has one part, the file', async () => {
    const me = world.stranger()
    const form = (name: string, more = false) => {
      const data = new FormData()
      data.append(name, new Blob(['a,b\n']), 'a.csv')
      if (more) data.append('other', 'x')
      return data
    }
    expect((await send(me, 'format=csv', form('file'))).body.facts).toMatchObject({ new: 1 })
    for (const wrong of [form('upload'), form('file', true)])
      expect((await send(me, 'format=csv', wrong)).status).toBe(400)
    const broken = await send(me, 'format=csv', 'x', { 'Content-Type': 'multipart/form-data; boundary=b' })
    expect(broken.status).toBe(400)
  })

  test('files that are none, unknown decks and other parameters are refused, and nothing is stored', async () => {
    const me = world.stranger()
    const wrong: [string, File][] = [
      ['', CSV],
      ['format=word', CSV],
      ['format=csv', ''],
      ['format=csv', new Uint8Array([0xff, 0xfe, 0x41])],
      ['format=csv', 'front,back\n"never ends'],
      ['format=json', '{'],
      ['format=json', '{"format":"other"}'],
      ['format=csv&deck_id=01900000-0000-7000-8000-0000000fffff', CSV],
      ['format=apkg', 'a text file'],
    ]
    for (const [query, file] of wrong) expect([query, (await send(me, query, file)).status]).toEqual([query, 400])
    expect((await send(me, 'format=apkg', 'a text file')).body.code).toBe('invalid_package')
    expect(await latestSeq(me)).toBe(0)
  })

  test('under an Idempotency-Key the file is imported once, and the outcome is told again', async () => {
    const me = world.stranger()
    const headers = { 'Idempotency-Key': 'once' }
    const first = await send(me, 'format=csv&on_duplicate=create', CSV, headers)
    expect(await send(me, 'format=csv&on_duplicate=create', CSV, headers)).toEqual(first)
    expect(await world.all(me, '/facts')).toHaveLength(4)
    expect((await send(me, 'format=csv&on_duplicate=create', `${CSV}\n`, headers)).status).toBe(409)
  })

  test('one import of a workspace at a time: of two at once, one is busy', async () => {
    const me = world.stranger()
    const answers = await Promise.all([send(me, 'format=csv', CSV), send(me, 'format=csv', CSV)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('busy')
    expect((await send(me, 'format=csv', CSV)).status).toBe(200)
  })

  test('a sender who goes away in the middle of a file frees the place that it held', async () => {
    const me = world.stranger()
    const { hostname, port } = new URL(world.base)
    const head = `POST /api/flashcards/import?format=csv HTTP/1.1\r\nHost: x\r\nX-API-Key: ${me.key}\r\n`
    const socket = await Bun.connect({ hostname, port: Number(port), socket: { data() {} } })
    socket.write(`${head}Content-Length: 1000\r\n\r\nfront,`)
    const dry = () => send(me, 'format=csv&dry_run=true', 'a,b')
    while ((await dry()).status !== 409);
    socket.end()
    while ((await dry()).status !== 200);
  })

  test.each([
    ['decks', { path: ['d'], description: '', settings: {} }, 10_001],
    ['media', { name: 'a.png', sha256: '0'.repeat(64) }, 10_001],
    ['facts', 0, 200_001],
  ])('a file of more %s than there can be is refused before any is written', async (list, item, count) => {
    const file = { format: 'satchel-flashcards', version: 1, settings: null, decks: [], facts: [], media: [] }
    const body = JSON.stringify({ ...file, [list]: Array.from({ length: count }, () => item) })
    const { status, body: problem } = await send(world.stranger(), 'format=json', body)
    expect([status, problem.code]).toEqual([413, 'too_large'])
  })

  test('an import that outgrows the workspace leaves nothing of itself', async () => {
    const rows = Array.from({ length: 250 }, (_, i) => `front ${i},back`).join('\n')
    const { status, body } = await send({}, 'format=csv', rows)
    expect([status, body.code]).toEqual([429, 'quota_exceeded'])
    expect(await latestSeq({})).toBe(0)
  })
})

describe('packages of Anki', () => {
  for (const name of ['anki-apkg-export.apkg', 'genanki-js.apkg', 'legacy-2.apkg', 'latest.apkg'])
    test(`${name}: facts, decks and media come, and the second time nothing changes`, async () => {
      const me = world.stranger()
      const file = await fixture(name)
      const tried = (await send(me, 'format=apkg&dry_run=true', file)).body
      const { status, body } = await send(me, 'format=apkg', file)
      expect(status).toBe(200)
      expect(body).toEqual({ ...tried, dry_run: false })
      expect(body.facts.new).toBeGreaterThan(0)
      const seq = await latestSeq(me)
      const again = (await send(me, 'format=apkg', file)).body
      expect(again.facts).toEqual({ ...body.facts, new: 0, duplicate: body.facts.new })
      expect(again.media).toMatchObject({ stored: 0, renamed: 0 })
      expect(await latestSeq(me)).toBe(seq)
    })

  test.each(['legacy1', 'legacy2', 'latest'] as const)(
    'of the layout %s: the same facts, cards and log',
    async (layout) => {
      const [me, other] = [world.stranger(), world.stranger()]
      await send(me, 'format=apkg', packageOf('legacy1', STUDIED_SOURCE))
      const { body } = await send(other, 'format=apkg', packageOf(layout, STUDIED_SOURCE))
      expect(body).toMatchObject({
        decks: 3,
        facts: { ...NOTHING, new: 3 },
        cards: 4,
        reviews: 3,
        media: { stored: 2 },
      })
      expect(await world.studied(other)).toEqual(await world.studied(me))
      const seq = await latestSeq(other)
      const again = (await send(other, 'format=apkg', packageOf(layout, STUDIED_SOURCE))).body
      expect(again).toMatchObject({
        decks: 0,
        facts: { ...NOTHING, duplicate: 3 },
        cards: 0,
        reviews: 0,
        lines_total: 0,
      })
      expect(await latestSeq(other)).toBe(seq)
    },
  )

  test('memory comes from the log, else as stored, else from ease and interval; due days are kept', async () => {
    const me = world.stranger()
    await send(me, 'format=apkg', packageOf('latest', STUDIED_SOURCE))
    const cards = (await world.studied(me)).flatMap((fact) => fact.cards)
    expect(cards.map(({ state, due, memory, suspended, flag }) => [state, due, memory, suspended, flag])).toEqual([
      // Good, then easy a day later: what the scheduler makes of it, not the 12.5 and 4.25 of the file.
      ['review', '2026-01-21', [11.69, 1], false, 3],
      ['review', '2026-01-31', [20, 7.637], true, 0],
      ['new', null, [null, null], false, 0],
      ['learning', '2026-01-09T12:10:00Z', [0.212, 6.413], false, 0],
    ])
  })

  test('with scheduling=drop cards begin as new, without a log', async () => {
    const me = world.stranger()
    const { body } = await send(me, 'format=apkg&scheduling=drop', packageOf('latest', STUDIED_SOURCE))
    expect([body.cards, body.reviews]).toEqual([4, 0])
    expect((await world.studied(me)).flatMap(({ cards }) => cards.map(({ state }) => state))).toEqual(
      Array(4).fill('new'),
    )
  })

  test('cards that are here keep their schedule when their fact is updated', async () => {
    const me = world.stranger()
    await send(me, 'format=apkg', packageOf('latest', STUDIED_SOURCE))
    const [river] = await world.all(me, '/cards?q=rio')
    await world.study(river.id, { due_day: 20_700, stability: 99 })
    const newer = { ...STUDIED_SOURCE.notes[0], fields: ['o rio <img src="rio.png">', 'the stream'] }
    const changed = packageOf('latest', {
      ...STUDIED_SOURCE,
      notes: [newer, ...STUDIED_SOURCE.notes.slice(1)],
    } as never)
    // The note has the same time: only a newer one is taken.
    expect((await send(me, 'format=apkg', changed)).body.facts).toMatchObject({ updated: 0, duplicate: 3 })
    const csv = 'front,back,external_id\no rio ![](media:rio.png),the stream,anki:guid-1'
    expect((await send(me, 'format=csv', csv)).body.facts).toMatchObject({ updated: 1 })
    expect((await world.all(me, '/cards?q=rio'))[0]).toMatchObject({ answer: 'the stream', stability: 99, reps: 2 })
  })

  test('media: the same bytes are shared, others get another name, and names that can be none are dropped', async () => {
    const me = world.stranger()
    await world.putMedia(me, 'rio.png', Buffer.from('another picture'))
    const media = { ...STUDIED_SOURCE.media, '../x': 'evil', 'a/b': 'evil' }
    const { body } = await send(me, 'format=apkg', packageOf('latest', { ...STUDIED_SOURCE, media }))
    expect(body.media).toEqual({ stored: 1, shared: 0, renamed: 1, dropped: 2 })
    expect(body.lines.map(({ where, code }: { where: string; code: string }) => [where, code])).toEqual([
      ['media ../x', 'media_name'],
      ['media a/b', 'media_name'],
    ])
    const names = (await world.all(me, '/media')).map(({ name }) => name)
    expect(names).toEqual(['não.mp3', expect.stringMatching(/^rio-[0-9a-f]{8}\.png$/), 'rio.png'])
    expect((await world.all(me, '/facts?q=rio'))[0].front).toBe(`o rio ![](media:${names[1]})`)
    const again = (await send(me, 'format=apkg', packageOf('latest', { ...STUDIED_SOURCE, media }))).body
    expect([again.media, again.facts.duplicate]).toEqual([{ stored: 0, shared: 2, renamed: 0, dropped: 2 }, 3])
  })

  test('what got another name is called so in hints, too', async () => {
    const [me, other] = [world.stranger(), world.stranger()]
    const { id: deck_id } = await world.deck(me, { name: 'd' })
    await world.putMedia(me, 'a.png', Buffer.from('one'))
    await world.putMedia(other, 'a.png', Buffer.from('other'))
    await world.fact(me, { deck_id, front: 'f', back: 'b', hint: '![](media:a.png)' })
    expect((await send(other, 'format=apkg', await world.exported(me, 'format=apkg'))).body.media.renamed).toBe(1)
    expect((await world.all(other, '/facts'))[0].hint).toMatch(/^!\[\]\(media:a-[0-9a-f]{8}\.png\)$/)
  })

  test('without a key half a mebibyte of media is stored, contents once; the rest is dropped by name', async () => {
    const contents = ['x', 'y', 'x', 'z'].map((letter) => letter.repeat(200 * 1024))
    const [a, b, c, d] = contents
    const first = await send(
      {},
      'format=apkg',
      packageOf('legacy1', { ...STUDIED_SOURCE, media: { a, b, d } } as never),
    )
    expect(first.body.media).toEqual({ stored: 2, shared: 0, renamed: 0, dropped: 1 })
    expect(first.body.lines).toContainEqual(expect.objectContaining({ where: 'media d', code: 'media_quota' }))
    const second = await send({}, 'format=apkg', packageOf('legacy1', { ...STUDIED_SOURCE, media: { c } } as never))
    expect(second.body.media).toEqual({ stored: 1, shared: 0, renamed: 0, dropped: 0 })
  })
})

describe('an import of many cards', () => {
  const many = Array.from({ length: 1500 }, (_, i) => `front ${i},back ${i}`).join('\n')

  test('lets others read between its parts, who see nothing of it until all is there', async () => {
    const me = world.stranger()
    await world.deck(me, { name: 'first' })
    const running = send(me, 'format=csv', many)
    let done = false
    const ended = running.finally(() => {
      done = true
    })
    const seen = new Set<number>()
    let answers = 0
    for (; !done; answers++) {
      // Over a socket: what never leaves this thread would take no turn.
      const usage = await fetch(`${world.base}/../usage`, { headers: { 'X-API-Key': me.key ?? '' } })
      seen.add((await usage.json()).workspace.resources)
    }
    expect((await ended).body.facts.new).toBe(1500)
    // It writes fifty facts at a time: after each, whoever waits is answered.
    expect(answers).toBeGreaterThanOrEqual(20)
    expect([...seen].filter((resources) => resources !== 1 && resources !== 1502)).toEqual([])
  })

  test('keeps other writers waiting for no more than a fraction of a millisecond for each card', async () => {
    const [me, other] = [world.stranger(), world.stranger()]
    const { ms } = await spent(async () => {
      const running = send(me, 'format=csv', many)
      await Bun.sleep(0)
      await world.deck(other)
      await running
    })
    // A tenth of a millisecond was measured; row by row it was a quarter.
    expect(ms).toBeLessThan(1500 * 0.6)
  })

  test('leaves nothing behind when it fails in the middle', async () => {
    const me = world.stranger()
    await send(me, 'format=csv', 'kept,x')
    const usage = async () => (await world.callAny(me, 'GET', '/api/usage')).body.workspace
    const [seq, before] = [await latestSeq(me), await usage()]
    const full = await makeTransferWorld({ WORKSPACE_RESOURCES: '800' })
    try {
      const { status, body } = await full.send(me, 'format=csv', many)
      expect([status, body.code]).toEqual([429, 'quota_exceeded'])
      expect(await full.all(me, '/facts')).toEqual([])
      expect(contradictions(full.folder)).toEqual([])
    } finally {
      await full.close()
    }
    expect((await send(me, 'format=csv&dry_run=true', many)).body.facts.new).toBe(1500)
    expect([await latestSeq(me), await usage()]).toEqual([seq, before])
  })
})

test('what imports wrote does not contradict itself', () => {
  expect(contradictions(world.folder)).toEqual([])
})
