import { describe, expect, test } from 'bun:test'
import { compareAnswer } from '../../src/flashcards/cards/compare-answer'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { packageOf, type Source } from './anki/build'
import { BASIC, CLOZE, collectionIn } from './anki/support'
import { makePortableWorld } from './archive-support'
import type { Shown } from './support'
import { NOTES_SOURCE, NOTES_START, SPELLING, VOCABULARY } from './transfer-support'

const world = recounted(await makePortableWorld())
const { call } = world

async function imported(source: Source = NOTES_SOURCE) {
  const me = world.stranger()
  const { body } = await world.send(me, 'format=apkg', packageOf('latest', source))
  return { me, body, facts: await factsOf(me) }
}

const factsOf = async (me: As): Promise<Shown[]> =>
  (await world.all(me, '/facts')).sort((a: Shown, b: Shown) => (a.created_at < b.created_at ? -1 : 1))
const cardsOf = async (me: As, fact: Shown): Promise<Shown[]> =>
  (await world.all(me, '/cards'))
    .filter(({ fact_id }: Shown) => fact_id === fact.id)
    .sort((a: Shown, b: Shown) => a.ordinal - b.ordinal)

test('every note comes in with its fields, cards and log, as one fact that is as old as the note', async () => {
  const { me, body, facts } = await imported()
  expect(body.failed ?? 0).toBe(0)
  expect(facts.map(({ type }) => type)).toEqual(['basic', 'custom', 'custom', 'custom', 'custom', 'basic', 'cloze'])
  expect(facts.map(({ fields }) => Object.values(fields))).toEqual(NOTES_SOURCE.notes.map(({ fields }) => [...fields]))
  expect(facts.map(({ created_at }) => Date.parse(created_at))).toEqual(NOTES_SOURCE.notes.map(({ id }) => id))
  const cards = await Promise.all(facts.map((fact) => cardsOf(me, fact)))
  expect(cards.map((own) => own.map(({ ordinal, suspended }) => [ordinal, suspended]))).toEqual([
    [[0, false]],
    [
      [0, false],
      [1, false],
    ],
    [[0, false]],
    [[0, false]],
    [[0, true]],
    [[0, false]],
    [
      [0, false],
      [1, false],
    ],
  ])
  expect((await world.all(me, '/reviews')).length).toBe(2)
  expect(cards[1]?.map(({ prompt, answer }) => [prompt, answer])).toEqual([
    ['What is rio?', '*river*'],
    ['How do you say *river*?', 'rio [rio.mp3](media:rio.mp3)'],
  ])
  const [zero] = cards[4] ?? []
  expect(zero).toMatchObject({ prompt: '{{c0::zero}}', reps: 1, state: 'review' })
})

test('note types are stored once, and can be read', async () => {
  const { me, facts } = await imported()
  const { body } = await call(me, 'GET', '/note-types')
  expect(body.items.map(({ anki_id, kind }: Shown) => [anki_id, kind])).toEqual([
    [BASIC.id, 'standard'],
    [VOCABULARY.id, 'standard'],
    [SPELLING.id, 'standard'],
    [CLOZE.id, 'cloze'],
    [999, 'standard'],
  ])
  const { status, body: one, headers } = await call(me, 'GET', `/note-types/${facts[1].note_type_id}`)
  expect([status, headers.get('etag')]).toEqual([200, '"1"'])
  expect(one).toMatchObject({ anki_id: VOCABULARY.id, fields: [...VOCABULARY.fields], css: '.card {}' })
  expect(one.templates[1]).toEqual({
    name: 'Card 1',
    question: VOCABULARY.templates[1][0],
    answer: '{{Word}} {{Sound}}',
  })
  expect((await call(me, 'GET', '/note-types?limit=2')).body.items.length).toBe(2)
  expect((await call(world.stranger(), 'GET', `/note-types/${one.id}`)).status).toBe(404)
  await world.send(me, 'format=apkg', packageOf('latest', NOTES_SOURCE))
  expect((await call(me, 'GET', '/note-types')).body).toEqual(body)
  expect(await factsOf(me)).toEqual(facts)
})

test('a note type without texts counts towards the quota', async () => {
  const me = world.stranger()
  await world.deck(me)
  const used = async () => (await world.callAny(me, 'GET', '/api/usage')).body.workspace.size_bytes
  const before = await used()
  const stamps = { revision: 1, created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }
  const content = { name: '', kind: 'standard', fields: ['', ''], templates: [], css: '', settings: null }
  const made = Array.from({ length: 10 }, (_, i) => ({
    ...{ id: `01980000-0000-7000-8000-00000000001${i}`, ...stamps, anki_id: i, ...content },
  }))
  expect(await world.merge(me, { lines: { note_type: made } })).toEqual({
    later: [],
    note_type: Array(10).fill('created'),
  })
  expect((await used()) - before).toBeGreaterThanOrEqual(10 * 300)
})

test('a note type goes with the last of its facts, and no sooner', async () => {
  const { me, facts } = await imported()
  const idsOf = async () => (await call(me, 'GET', '/note-types')).body.items.map(({ id }: Shown) => id)
  const before = await idsOf()
  await call(me, 'DELETE', `/facts/${facts[0].id}?permanent=true`)
  await call(me, 'DELETE', `/facts/${facts[1].id}`)
  expect(await idsOf()).toEqual(before)
  await call(me, 'DELETE', `/facts/${facts[1].id}?permanent=true`)
  await call(me, 'DELETE', `/facts/${facts[3].id}?permanent=true`)
  const gone = [facts[0].note_type_id, facts[1].note_type_id]
  expect(await idsOf()).toEqual(before.filter((id: string) => !gone.includes(id)))
  const { body } = await world.callAny(me, 'GET', '/api/changes?limit=200')
  const told = body.items.filter(({ type, op }: Shown) => type === 'note_type' && op === 'delete')
  expect(told.map(({ id }: Shown) => id).sort()).toEqual(gone.sort())
})

test('a change of a side changes its field alone, and a change of fields the sides', async () => {
  const { me, facts } = await imported()
  const path = `/facts/${facts[0].id}`
  const { body: sided } = await call(me, 'PATCH', path, { front: 'a *new* one' })
  expect(sided).toMatchObject({ type: 'basic', front: 'a *new* one', back: facts[0].back })
  expect(sided.fields).toEqual({ Front: 'a <em>new</em> one', Back: facts[0].fields.Back })
  const { body: fielded } = await call(me, 'PATCH', path, { fields: { Back: '<b>zwei</b>' } })
  expect(fielded).toMatchObject({ type: 'basic', front: 'a *new* one', back: '**zwei**' })
  expect((await call(me, 'PATCH', path, { fields: {} })).body.revision).toBe(fielded.revision)
  const { body: cloze } = await call(me, 'PATCH', `/facts/${facts[6].id}`, { text: '{{c1::`a}}`}} {{c2::b}}' })
  expect(cloze.fields.Text).toBe('{{c1::<code>a&#125;}</code>}} {{c2::b}}')
  const { body: emptied } = await call(me, 'PATCH', path, { fields: { Back: null } })
  expect(emptied).toMatchObject({ type: 'custom', front: null, back: null, fields: { Back: '' } })
  expect((await cardsOf(me, facts[0])).map(({ ordinal, deleted_at }) => [ordinal, deleted_at])).toEqual([[0, null]])
  const { body: filled } = await call(me, 'PATCH', path, { fields: { Back: 'x' } })
  expect(filled).toMatchObject({ type: 'basic', back: 'x' })
})

test('new fields of a custom fact make its cards as Anki does, and keep those that nothing asked for before', async () => {
  const { me, facts } = await imported()
  const [word, zero] = [facts[1], facts[4]]
  const [first, second] = await cardsOf(me, word)
  await call(me, 'PATCH', `/facts/${word.id}`, { fields: { Meaning: '' } })
  expect((await cardsOf(me, word)).map(({ id }) => id)).toEqual([first.id])
  await call(me, 'PATCH', `/facts/${word.id}`, { fields: { Meaning: 'stream' } })
  expect((await cardsOf(me, word)).map(({ id }) => id)).toEqual([first.id, second.id])
  expect((await cardsOf(me, word))[0]).toMatchObject({ answer: 'stream', revision: first.revision + 2 })
  await call(me, 'PATCH', `/facts/${zero.id}`, { fields: { Text: '{{c2::two}}' } })
  expect((await cardsOf(me, zero)).map(({ ordinal }) => ordinal)).toEqual([0, 1])
})

describe('a typed answer to a note is held against its field, as the app does', () => {
  const typed = (question: string, fields: string[], more: object = {}) => ({ question, fields, cloze: false, ...more })
  const CASES = {
    plain: typed('{{type:Back}}', ['', '[sound:r.mp3]<b>Rio</b><br>de &lt;*Janeiro*&gt;']),
    points: typed('{{type:nc:Back}}', ['', 'שִׁנּוּן']),
    cloze: typed('{{cloze:Front}} {{type:cloze:Front}}', ['{{c1::foo}} {{c1::<i>bar</i>}} {{c2::x}} {{c3::y', ''], {
      cloze: true,
    }),
    empty: typed('{{Front}}{{type:Back}}', ['q', '']),
  }
  const source = ({ question, fields, cloze }: (typeof CASES)['plain']): Source => ({
    ...NOTES_SOURCE,
    notetypes: [
      {
        ...{ id: 201, cloze, fields: ['Front', 'Back'] },
        templates: [[`-${question}`, '{{FrontSide}}<hr id=answer>-']],
      },
    ],
    notes: [{ id: NOTES_START, mid: 201, fields }],
    cards: [{ id: 1, nid: NOTES_START, did: 100 }],
    reviews: [],
  })

  test.each([
    ['plain', ['Rio de <*Janeiro*>'], 'rio de <*janeiro*>', true],
    ['plain', ['Rio de <*Janeiro*>'], 'r.mp3', false],
    ['points', ['שִׁנּוּן'], 'שנון', true],
    ['cloze', ['foo, bar', 'foo bar'], 'foo bar', true],
    ['cloze', ['foo, bar', 'foo bar'], 'foo bar x', false],
    ['empty', null, 'q', false],
  ] as const)('%s: of %j, %s is %p', async (name, right, answer, correct) => {
    const { me, facts } = await imported(source(CASES[name]))
    const [card] = await cardsOf(me, facts[0])
    if (name === 'cloze') expect(card.prompt).toBe('-[…] […] x {{c3::y')
    const { typed_answer } = (await call(me, 'GET', `/cards/${card.id}?render=html`)).body
    expect(typed_answer ?? null).toEqual(right && { right: [...right], ignores_accents: name === 'points' })
    const { body } = await call(me, 'POST', `/cards/${card.id}/check`, { answer })
    expect(body.correct).toBe(correct)
    if (typed_answer) expect(compareAnswer(answer, typed_answer)).toEqual(body)
  })
})

test('what does not belong to the note type is refused, and nothing is changed', async () => {
  const { me, facts } = await imported()
  const [plain, custom] = facts
  const refused: [fact: Shown, patch: object, pointer: string][] = [
    [plain, { fields: { Other: 'x' } }, '/fields'],
    [plain, { fields: { Front: 'x' }, front: 'x' }, '/front'],
    [plain, { type: 'reversed' }, '/type'],
    [plain, { fields: { Front: 'x'.repeat(256 * 1024) } }, '/fields'],
    [custom, { type: 'reversed' }, '/type'],
    [custom, { front: 'x' }, '/front'],
    [custom, { extra: 'x' }, '/extra'],
    [custom, { fields: null }, '/fields'],
  ]
  for (const [fact, patch, pointer] of refused) {
    const { status, body } = await call(me, 'PATCH', `/facts/${fact.id}`, patch)
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer])
  }
  expect(await factsOf(me)).toEqual(facts)
  const own = await world.fact(me, { deck_id: plain.deck_id, type: 'basic', front: 'a', back: 'b' })
  expect((await call(me, 'PATCH', `/facts/${own.id}`, { fields: { Front: 'x' } })).status).toBe(400)
  expect((await call(me, 'POST', '/facts', { deck_id: plain.deck_id, type: 'custom' })).status).toBe(400)
})

test('without its note type a plain fact is as any other', async () => {
  const { me, facts } = await imported()
  const { body } = await call(me, 'PATCH', `/facts/${facts[0].id}`, { fields: null, type: 'reversed' })
  expect(body).toMatchObject({ type: 'reversed', front: facts[0].front, note_type_id: null, fields: null })
  expect((await cardsOf(me, facts[0])).length).toBe(2)
})

test('searches find the fields of custom facts', async () => {
  const { me, facts } = await imported()
  expect((await world.all(me, '/facts?q=river')).map(({ id }: Shown) => id).sort()).toEqual(
    [facts[1].id, facts[2].id].sort(),
  )
})

test('the archive holds all of it', async () => {
  const { me } = await imported()
  const all = await world.told(me)
  const other = world.stranger()
  await world.merge(other, all)
  expect(await world.told(other)).toEqual(all)
})

test('a note of the future is as old as its import', async () => {
  const id = Date.UTC(2200, 0)
  const { facts } = await imported({ ...NOTES_SOURCE, notes: [{ id, mid: BASIC.id, fields: ['a', 'b'] }], cards: [] })
  expect(facts.map(({ created_at, updated_at }) => created_at === updated_at)).toEqual([true])
})

test('media whose name has other bytes here is renamed in the fields as well', async () => {
  const me = world.stranger()
  await world.putMedia(me, 'a.png', Buffer.from('another'))
  await world.putMedia(me, 'b.mp3', Buffer.from('another'))
  const fields = ['<img src="a.png"> <img src=a.png> [sound:b.mp3]', "<img src='c.png'> a.png"]
  const notes = [{ id: 1, mid: BASIC.id, fields }]
  const cards = [{ id: 1, nid: 1, did: 100 }]
  const source = { ...NOTES_SOURCE, notes, cards, reviews: [], media: { 'a.png': 'picture', 'b.mp3': 'sound' } }
  await world.send(me, 'format=apkg', packageOf('latest', source))
  const [fact] = await factsOf(me)
  const names = (await world.all(me, '/media')).map(({ name }: Shown) => name)
  const [picture, sound] = ['a-', 'b-'].map((start) => names.find((name) => name.startsWith(start)))
  expect(fact.fields.Front).toBe(`<img src="${picture}"> <img src=${picture}> [sound:${sound}]`)
  expect(fact.fields.Back).toBe(fields[1])
  expect(fact.front).toContain(`media:${picture}`)
})

test('of two note types with one id in Anki, a package gives the second another id', async () => {
  const { me, facts } = await imported()
  const changed = { ...VOCABULARY, templates: [['{{Word}}!', '{{Meaning}}']] as const }
  const notes = [{ id: 5, mid: VOCABULARY.id, fields: ['mar', 'sea', ''] }]
  const cards = [{ id: 1, nid: 5, did: 100 }]
  await world.send(
    me,
    'format=apkg',
    packageOf('latest', { ...NOTES_SOURCE, notetypes: [changed], notes, cards, reviews: [] }),
  )
  const { db } = await collectionIn(await world.exported(me, 'format=apkg'))
  const mids = db
    .query<Shown, []>(`SELECT mid FROM notes WHERE mid BETWEEN ${VOCABULARY.id} AND ${VOCABULARY.id + 9}`)
    .all()
  const models = JSON.parse(db.query<Shown, []>('SELECT models FROM col').get().models)
  db.close()
  expect(new Set(mids.map(({ mid }) => mid)).size).toBe(3)
  expect(Object.values<Shown>(models).filter(({ name }) => name === facts[1].name || /022$/.test(name)).length).toBe(2)
})

test('a page of note types ends early where they are large, and goes on', async () => {
  const me = world.stranger()
  // A package that shrinks too well would be refused.
  const large = Array.from({ length: 70_000 }, (_, i) => Bun.hash(`${i}`).toString(36)).join('')
  const notetypes = Array.from({ length: 12 }, (_, i) => ({
    ...{ id: 100 + i, fields: ['Front', 'Back'] },
    templates: [[`{{Front}}<!--${large}-->`, `{{Back}}`]] as const,
  }))
  const notes = notetypes.map(({ id }) => ({ id, mid: id, fields: ['a', `${id}`] }))
  const cards = notes.map(({ id }) => ({ id, nid: id, did: 100 }))
  await world.send(me, 'format=apkg', packageOf('legacy1', { ...NOTES_SOURCE, notetypes, notes, cards, reviews: [] }))
  const first = (await call(me, 'GET', '/note-types')).body
  expect(first.items.length).toBeLessThan(8)
  expect(first.next_cursor).not.toBeNull()
  expect((await world.all(me, '/note-types')).map(({ anki_id }: Shown) => anki_id)).toEqual(
    notetypes.map(({ id }) => id),
  )
})

test('a package for Anki has the same notes, note types and cards', async () => {
  const { me, facts } = await imported()
  await call(me, 'PATCH', `/facts/${facts[1].id}`, { fields: { Meaning: 'stream' } })
  const { db } = await collectionIn(await world.exported(me, 'format=apkg'))
  const notes = db.query<Shown, []>('SELECT guid, mid, flds FROM notes ORDER BY id').all()
  const cards = db.query<Shown, []>('SELECT ord FROM cards ORDER BY nid, ord').all()
  const models = JSON.parse(db.query<Shown, []>('SELECT models FROM col').get().models)
  db.close()
  expect(notes.map(({ guid, mid }) => [guid, mid])).toEqual(
    NOTES_SOURCE.notes.map(({ mid }, index) => [`guid-${NOTES_START + index}`, mid]),
  )
  expect(notes.map(({ flds }) => flds.split('\x1f'))).toEqual(
    NOTES_SOURCE.notes.map(({ fields }, index) => (index === 1 ? ['rio', 'stream', '[sound:rio.mp3]'] : fields)),
  )
  expect(cards.map(({ ord }) => ord)).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 1])
  expect(models[VOCABULARY.id]).toMatchObject({ id: VOCABULARY.id, type: 0, css: '.card {}' })
  expect(models[VOCABULARY.id].tmpls[1]).toMatchObject({ qfmt: VOCABULARY.templates[1][0], name: 'Card 1' })
  expect(models[CLOZE.id]).toMatchObject({ type: 1 })
})

describe('what else Anki has of a note type', () => {
  const settings = {
    notetype: { sortf: 1, latexPre: '\\usepackage{x}', tags: ['kept'], addon: { deep: [1] } },
    field: { font: 'Own', size: 12, rtl: true, sticky: true, description: 'says' },
    template: { bqfmt: '{{Back}}', bafmt: '', bfont: 'Own' },
  }
  const source = (more: object = { settings }): Source => ({
    ...NOTES_SOURCE,
    notetypes: [{ ...BASIC, ...more }],
    notes: NOTES_SOURCE.notes.slice(0, 1),
    cards: NOTES_SOURCE.cards.slice(0, 1),
    reviews: [],
  })
  const send = (me: As, given: Source) => world.send(me, 'format=apkg', packageOf('legacy1', given))
  const settingsOf = async (me: As) => (await call(me, 'GET', '/note-types')).body.items[0].settings

  async function modelOf(me: As): Promise<Shown> {
    const { db } = await collectionIn(await world.exported(me, 'format=apkg'))
    return JSON.parse(db.query<{ models: string }, []>('SELECT models FROM col').get()?.models ?? '')[BASIC.id]
  }

  test('is kept, exported and archived', async () => {
    const me = world.stranger()
    await send(me, source())
    const { notetype, field, template } = settings
    const shown = { notetype, fields: [field, field], templates: [template] }
    expect(await settingsOf(me)).toEqual(shown)
    const model = await modelOf(me)
    expect(model).toMatchObject({ ...notetype, latexPost: '\\end{document}', id: BASIC.id })
    expect(model.flds).toMatchObject([field, field])
    expect(model.tmpls).toMatchObject([template])
    const other = world.stranger()
    await world.merge(other, await world.told(me))
    expect(await settingsOf(other)).toEqual(shown)
  })

  test('of schema 18 is kept by the same names', async () => {
    const me = world.stranger()
    await world.send(me, 'format=apkg', packageOf('latest', source()))
    const { notetype, fields, templates } = await settingsOf(me)
    expect([notetype.sortf, fields[0].font, templates[0].bqfmt]).toEqual([0, 'Arial', ''])
  })

  test('comes to a note type that is here without it, which stays one', async () => {
    const me = world.stranger()
    const deep = (depth: number): object => (depth === 0 ? {} : { x: deep(depth - 1) })
    await send(me, source({ settings: { notetype: deep(17) } }))
    expect(await settingsOf(me)).toBeNull()
    await send(me, source())
    const { items } = (await call(me, 'GET', '/note-types')).body
    expect(items.map(({ revision, settings }: Shown) => [revision, settings.notetype.sortf])).toEqual([[2, 1]])
    await send(me, source({ settings: { notetype: { sortf: 0 } } }))
    expect((await call(me, 'GET', '/note-types')).body.items).toEqual(items)
  })

  test.each([
    ['too large', { x: 'x'.repeat(64 * 1024) }],
    ['too deep', { x: [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]] }],
    ['of what cannot be stored', { x: 'a\0b' }],
    ['of half a surrogate pair', { x: '\ud800' }],
  ])('is left out where it is %s', async (_, notetype) => {
    const me = world.stranger()
    await send(me, source({ settings: { notetype } }))
    expect(await settingsOf(me)).toBeNull()
  })

  test('of another type than Anki reads does not reach a package', async () => {
    const me = world.stranger()
    const notetype = { sortf: 7, latexPre: 5, tags: 'x', did: 'x', originalStockKind: 1.5 }
    await send(
      me,
      source({ settings: { notetype, field: { size: '12', tag: null }, template: { did: 'x', bsize: [] } } }),
    )
    const model = await modelOf(me)
    expect(model).toMatchObject({ sortf: 0, tags: [], did: 1 })
    expect(typeof model.latexPre).toBe('string')
    expect(model).not.toHaveProperty('originalStockKind')
    expect(model.flds[0]).toMatchObject({ size: 20 })
    expect(model.flds[0]).not.toHaveProperty('tag')
    expect(model.tmpls[0].did).toBeNull()
    expect(model.tmpls[0]).not.toHaveProperty('bsize')
  })
})

describe('a note that is here card by card', () => {
  const guid = `guid-${NOTES_START + 1}`
  const codesOf = (body: Shown): string[] =>
    body.items.flatMap(({ warnings }: Shown) => warnings.map(({ code }: Shown) => code))

  test('in parts of a text file, does not come a second time', async () => {
    const me = world.stranger()
    const deck = await world.deck(me)
    for (const part of [0, 1])
      await world.fact(me, {
        deck_id: deck.id,
        front: `part ${part}`,
        source: { system: 'anki', id: `${guid}#${part}` },
      })
    const { body } = await world.send(me, 'format=apkg', packageOf('latest', NOTES_SOURCE))
    expect(codesOf(body).filter((code) => code === 'split_before')).toHaveLength(1)
    const facts = await factsOf(me)
    expect(facts).toHaveLength(NOTES_SOURCE.notes.length + 1)
    expect(facts.filter(({ front }) => front?.startsWith('part'))).toMatchObject([{ revision: 1 }, { revision: 1 }])
    const again = await world.send(me, 'format=apkg', packageOf('latest', NOTES_SOURCE))
    expect(again.body.totals).toMatchObject({ created: 0, updated: 0, failed: 0 })
    await world.send(me, 'format=apkg&on_duplicate=create', packageOf('latest', NOTES_SOURCE))
    expect((await factsOf(me)).some(({ fields }) => fields?.Word === 'rio')).toBe(true)
  })

  test('as CSV has it, is that note, in both directions', async () => {
    const { me, facts } = await imported()
    const csv = Buffer.from(await world.exported(me, 'format=csv')).toString()
    expect(csv).toContain('basic,What is rio?,*river*')
    expect(csv).toContain('basic,no answer,(empty)')
    const { body } = await world.send(me, 'format=csv', csv)
    expect(body.totals).toMatchObject({ created: 0, updated: 0, failed: 0 })
    expect(await factsOf(me)).toEqual(facts)
    const other = world.stranger()
    const texts = await world.send(other, 'format=csv', csv)
    expect(texts.body.totals.failed).toBe(0)
    expect(await factsOf(other)).toHaveLength(facts.length + 1)
    await world.send(other, 'format=apkg', packageOf('latest', NOTES_SOURCE))
    expect(await factsOf(other)).toHaveLength(facts.length + 1)
  })

  test('in a file of texts that is newer, stays as it is', async () => {
    const { me, facts } = await imported()
    const line = (id: string) =>
      `front,back,source_system,source_id,external_modified_at\nnew,texts,anki,${id},2030-01-01\n`
    for (const id of [guid, `${guid}#0`]) {
      const { body } = await world.send(me, 'format=csv', line(id))
      expect(body.totals).toMatchObject({ created: 0, updated: 0, unchanged: 1, failed: 0 })
      expect(codesOf(body)).toEqual([id === guid ? 'note_kept' : 'split_before'])
    }
    expect(await factsOf(me)).toEqual(facts)
    // A part of a note that has texts, and of one that is not here, are facts of their own.
    for (const id of [`guid-${NOTES_START}#0`, 'other#0'])
      expect((await world.send(me, 'format=csv', line(id))).body.totals.created).toBe(1)
  })
})
