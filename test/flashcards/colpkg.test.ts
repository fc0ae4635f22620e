import type { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { zipOf } from '../support/zip'
import { collectionOf } from './anki/build'
import { collectionIn } from './anki/support'
import type { Shown } from './support'
import { counted, makeTransferWorld, NOTES_SOURCE, NOTES_START } from './transfer-support'

/** A whole collection for Anki, read as SQLite has it and by no code of ours. */

const world = recounted(await makeTransferWorld())

const DAY = 86_400_000
const NOW = Date.parse('2026-03-02T12:00:00.000Z')
const { call } = world

/** A package as Anki would export it, after what was done there. */
const made = (sql = '') =>
  zipOf([
    { name: 'collection.anki2', data: collectionOf(NOTES_SOURCE, 11, sql) },
    { name: 'media', data: Buffer.from('{"0":"a.png"}') },
    { name: '0', data: Buffer.from('picture') },
  ])

async function learner(settings: object = {}): Promise<As> {
  const me = world.stranger()
  world.clock.now = NOW
  await call(me, 'PATCH', '/settings', settings)
  expect((await world.send(me, 'format=apkg', made())).status).toBe(200)
  return me
}

interface Row {
  readonly [column: string]: string | number
}
const rows = (db: Database, sql: string) => db.query<Row, []>(sql).all()

async function collectionOfMine(me: As) {
  const { db } = await collectionIn(await world.exported(me, 'format=colpkg'))
  const [col] = rows(db, 'SELECT * FROM col')
  const json = (name: string) => JSON.parse(String(col?.[name]))
  return { db, col, conf: json('conf'), decks: json('decks'), options: json('dconf'), models: json('models') }
}

const LOG = `SELECT guid, ord, revlog.id, ease, time FROM revlog JOIN cards ON cards.id = cid
  JOIN notes ON notes.id = nid ORDER BY revlog.id`

test('edits and answers of both sides are in the collection that goes back, each once', async () => {
  const me = await learner()
  const facts = await world.all(me, '/facts')
  const named = (guid: string) => facts.find(({ source }) => source.id === guid)
  const cards = await world.all(me, '/cards')
  const cardOf = (guid: string, ordinal = 0) =>
    cards.find((card) => card.fact_id === named(guid).id && card.ordinal === ordinal)
  const answer = (card: Shown, days: number, rating: number) =>
    call(me, 'POST', `/cards/${card.id}/reviews`, {
      ...{ rating, duration_ms: 700 + rating },
      reviewed_at: new Date(NOW + days * DAY).toISOString(),
    })
  const guid = (n: number) => `guid-${NOTES_START + n}`
  world.clock.now = NOW + 50 * DAY
  await call(me, 'PATCH', `/facts/${named(guid(0)).id}`, { back: 'edited *here*', tags: ['mine'] })
  const { id: deck_id } = (await world.all(me, '/decks'))[0] as Shown
  const own = await world.fact(me, { deck_id, front: 'made here', back: 'b' })
  await answer(cardOf(guid(1), 1), 10, 3)
  await answer(cardOf(guid(1), 1), 30, 4)
  await answer(cardOf(guid(2)), 10, 2)

  const there = [
    [3, NOW + 20 * DAY, 1],
    [4, NOW + 20 * DAY + 1, 3],
  ]
  const done = made(`
    UPDATE notes SET flds = 'rio' || char(31) || 'a <i>stream</i>' || char(31) || '', tags = ' theirs ', mod = 1800000000
      WHERE id = ${NOTES_START + 1};
    ${there.map(([card, id, ease]) => `INSERT INTO revlog VALUES (${id}, ${card}, -1, ${ease}, 1, 1, 2500, 900, 1);`).join('')}`)
  const second = counted((await world.send(me, 'format=apkg', done)).body)
  expect([second.fact, second.review]).toEqual([{ updated: 1, unchanged: 6 }, { created: 2 }])
  const third = counted((await world.send(me, 'format=apkg', done)).body)
  expect([third.fact, third.review]).toEqual([{ unchanged: 7 }, undefined])

  const { db } = await collectionOfMine(me)
  const notes = new Map(rows(db, 'SELECT * FROM notes').map((note) => [note.guid, note]))
  expect(notes.size).toBe(8)
  expect(String(notes.get(guid(0))?.flds)).toBe('<b>one</b>\x1fedited <em>here</em>')
  expect(notes.get(guid(0))?.tags).toBe(' mine ')
  expect(notes.get(guid(1))).toMatchObject({ flds: 'rio\x1fa <i>stream</i>\x1f', tags: ' theirs ' })
  expect(notes.get(guid(3))?.id).toBe(NOTES_START + 3)
  expect(String(notes.get(own.id)?.flds)).toStartWith('made here\x1fb\x1f')
  expect(rows(db, LOG).map((row) => Object.values(row))).toEqual([
    [guid(1), 1, NOTES_START + DAY, 3, 5000],
    [guid(4), 0, NOTES_START + DAY + 1, 3, 5000],
    [guid(1), 1, NOW + 10 * DAY, 3, 703],
    [guid(2), 0, NOW + 10 * DAY + 1, 2, 702],
    [guid(1), 1, NOW + 20 * DAY, 1, 900],
    [guid(2), 0, NOW + 20 * DAY + 1, 3, 900],
    [guid(1), 1, NOW + 30 * DAY, 4, 704],
  ])
  // And once more here: but for when it was changed in Anki, nothing of it is new.
  const before = await world.studied(me)
  const file = await world.exported(me, 'format=colpkg')
  await world.send(me, 'format=apkg', file)
  expect(await world.studied(me)).toEqual(before)
  const seq = await world.latestSeq(me)
  await world.send(me, 'format=apkg', file)
  expect(await world.latestSeq(me)).toBe(seq)
  db.close()
})

test.each([
  ['UTC', 4, 0],
  ['America/New_York', 4, 300],
  ['Asia/Kolkata', 0, -330],
  ['Pacific/Auckland', 23, -780],
])(
  'in %s with days that begin at %i, the days of the collection are the study days',
  async (time_zone, hour, offset) => {
    const me = await learner({ time_zone, day_starts_at_hour: hour, learn_ahead_minutes: 7 })
    const { db, col, conf } = await collectionOfMine(me)
    expect(conf).toMatchObject({ creationOffset: offset, rollover: hour, collapseTime: 420, schedVer: 2, fsrs: true })
    // The first day is that on which the collection was made, where its owner is.
    const local = new Date(Number(col?.crt) * 1000 - offset * 60_000)
    const zero = local.toISOString().slice(0, 10)
    expect([zero, local.getUTCHours()]).toEqual(['2020-01-01', hour])
    const cards = (await world.all(me, '/cards')).filter(({ state }) => state === 'review')
    const due = rows(db, 'SELECT due, ivl FROM cards WHERE type = 2').map((card) => [
      new Date(Date.parse(zero) + Number(card.due) * DAY).toISOString().slice(0, 10),
      card.ivl,
    ])
    expect(due.toSorted()).toEqual(cards.map(({ due_day, scheduled_days }) => [due_day, scheduled_days]).toSorted())
    expect(due).not.toEqual([])
    db.close()
  },
)

test('decks have their options, equal ones the same; and what is buried or learned is so there', async () => {
  const me = await learner()
  const settings = {
    ...{ new_limit_per_day: 7, review_limit_per_day: 70, learning_steps_minutes: [2, 5, 20] },
    ...{ desired_retention: 0.85, new_order: 'random', review_order: 'retrievability', new_mix: 'after' },
    ...{ leech_threshold: 5, leech_action: 'none', maximum_interval_days: 400, bury_siblings: false },
    relearning_steps_minutes: [3, 9],
  }
  const top = await world.deck(me, { name: 'Own', settings })
  const below = await world.deck(me, { name: 'Below', parent_id: top.id })
  await world.deck(me, { name: 'Other', settings: { new_limit_per_day: 3 } })
  const fact = await world.fact(me, { deck_id: below.id, front: 'learned' })
  const [card] = await world.cards(me, fact)
  await call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 1 })
  const buried = await world.fact(me, { deck_id: top.id, front: 'buried' })
  const [hidden] = await world.cards(me, buried)
  await call(me, 'POST', '/cards/actions', { ids: [hidden.id], action: 'bury' })
  const { db, col, conf, decks, options } = await collectionOfMine(me)
  const byName = new Map<string, Shown>(Object.values<Shown>(decks).map((deck) => [deck.name, deck]))
  expect([...byName.keys()].toSorted()).toEqual(['Deck', 'Default', 'Other', 'Own', 'Own::Below'])
  const optionsOf = (name: string) => options[byName.get(name).conf]
  expect(byName.get('Own').conf).toBe(byName.get('Own::Below').conf)
  expect([byName.get('Deck').conf, byName.get('Default').conf]).toEqual([1, 1])
  expect(optionsOf('Other').new.perDay).toBe(3)
  expect(optionsOf('Own')).toMatchObject({
    new: { delays: [2, 5, 20], order: 0, perDay: 7, bury: false },
    rev: { perDay: 70, maxIvl: 400, bury: false },
    lapse: { delays: [3, 9], leechFails: 5, leechAction: 1 },
    ...{ newMix: 1, reviewOrder: 7, newGatherPriority: 4, desiredRetention: 0.85, fsrsParams6: [] },
  })
  expect(rows(db, 'SELECT type, queue, "left" FROM cards WHERE type = 1')).toEqual([{ type: 1, queue: 1, left: 3003 }])
  expect(rows(db, 'SELECT queue FROM cards WHERE queue < -1')).toEqual([{ queue: -2 }])
  // Else Anki would show what is buried as soon as it opens the collection.
  expect(conf.lastUnburied).toBe((Date.parse('2026-03-02') - Date.parse('2020-01-01')) / DAY)
  expect(conf.nextPos).toBe(Math.max(...(await world.all(me, '/cards')).map(({ position }) => position)) + 1)
  expect(rows(db, 'SELECT count(*) AS n FROM graves')).toEqual([{ n: 0 }])
  expect([col?.scm, rows(db, 'SELECT DISTINCT usn FROM cards')]).toEqual([col?.mod, [{ usn: -1 }]])
  db.close()
})

test('a template needs the fields that its question cannot do without', async () => {
  const me = world.stranger()
  world.clock.now = NOW
  const notetype = {
    id: 77,
    fields: ['Front', 'Back', 'Add'],
    templates: [
      ['{{Front}}', '{{Back}}'],
      ['{{#Add}}{{Back}}{{/Add}}', '{{Front}}'],
      ['{{Front}}{{Back}}', 'x'],
      ['nothing', 'x'],
    ],
  } as const
  const data = collectionOf(
    {
      ...{ decks: [{ id: 100, name: 'D' }], notetypes: [notetype] },
      notes: [{ id: NOTES_START, mid: 77, fields: ['f', 'b', 'y'] }],
      cards: [0, 1, 2].map((ord) => ({ id: 1 + ord, nid: NOTES_START, did: 100, ord })),
    },
    11,
  )
  await world.send(me, 'format=apkg', zipOf([{ name: 'collection.anki2', data }]))
  const { db, models } = await collectionOfMine(me)
  expect(models[77].req).toEqual([
    [0, 'all', [0]],
    [1, 'all', [1, 2]],
    [2, 'any', [0, 1]],
    [3, 'none', []],
  ])
  db.close()
})

test('it replaces a collection, so it is never a part of one', async () => {
  const me = await learner()
  const [deck] = await world.all(me, '/decks')
  for (const query of [`deck_id=${deck.id}`, 'scheduling=false', `deck_id=${deck.id}&media=false`]) {
    const { status, bytes } = await world.fetched(me, `format=colpkg&${query}`)
    const { code, detail } = JSON.parse(Buffer.from(bytes).toString())
    expect([status, code, detail]).toEqual([400, 'invalid_request', expect.stringContaining('replaces the whole')])
  }
  for (const query of [
    'format=colpkg',
    'format=colpkg&media=false',
    `format=apkg&deck_id=${deck.id}&scheduling=false`,
  ]) {
    const { status, headers } = await world.fetched(me, query)
    expect([status, headers.get('content-disposition')]).toEqual([200, expect.stringMatching(/flashcards\.(col|a)pkg/)])
  }
})
