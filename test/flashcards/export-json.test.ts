import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../support/full'
import { recounted } from '../support/recounted'
import type { As } from '../support/world'
import { makePortableWorld } from './archive-support'
import { anyDeed, grownIn, PNG, START } from './deeds'
import type { Shown } from './support'
import { counted, likeness } from './transfer-support'

/** Flashcards as JSON: what the archive has of the decks that are asked for, merged as the archive is. */

const world = recounted(await makePortableWorld())

const { call, told, stranger } = world
const QUERY = 'format=json&media=false'
const textOf = async (me: As, query = '') => Buffer.from(await world.exported(me, QUERY + query)).toString()

async function sent(me: As, file: string, query = ''): Promise<Shown> {
  const { status, body } = await world.send(me, `format=json${query}`, file)
  expect([status, body.error]).toEqual([200, null])
  return body
}

/** How many items came to what. */
const totals = ({ totals }: Shown) => Object.fromEntries(Object.entries(totals).filter(([, count]) => count !== 0))

test('whatever was done: of all decks, or of one, it is the same in an empty workspace, and changes nothing again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyDeed, { minLength: 12, maxLength: 40 }), async (deeds) => {
      const me = await grownIn(world, deeds)
      const decks: Shown[] = await world.all(me, '/decks')
      for (const query of ['', ...decks.slice(0, 1).map(({ id }) => `&deck_id=${id}`)]) {
        const [other, file] = [stranger(), await textOf(me, query)]
        const { resources } = JSON.parse(file)
        const dry = await sent(other, file, '&dry_run=true')
        const first = await sent(other, file)
        expect(likeness(first)).toEqual(likeness(dry))
        expect(totals(first)).toEqual(resources.length > 0 ? { created: resources.length } : {})
        expect(await textOf(other, query)).toBe(file)
        for (const as of [me, other]) {
          const seq = await world.latestSeq(as)
          expect(totals(await sent(as, file))).toEqual(resources.length > 0 ? { unchanged: resources.length } : {})
          expect(await world.latestSeq(as)).toBe(seq)
        }
      }
    }),
    { numRuns: runs(4) },
  )
})

/** A deck in another, with a studied fact in each; a third beside them. */
async function threeDecks() {
  const me = stranger()
  world.clock.now = START
  const [top, beside] = [await world.deck(me, { name: 'Top' }), await world.deck(me, { name: 'Beside' })]
  const below = await world.deck(me, { name: 'Below', parent_id: top.id })
  const facts: Shown[] = []
  for (const { id, name } of [top, below, beside]) {
    const fact = await world.fact(me, { deck_id: id, front: name, back: 'b' })
    const [card] = await world.cards(me, fact)
    await call(me, 'POST', `/cards/${card.id}/reviews`, { rating: 3 })
    facts.push(fact)
  }
  return { me, decks: [top, below, beside], facts }
}

test('is packed for those who accept gzip alone, and comes in packed', async () => {
  const { me } = await threeDecks()
  const headers = { 'X-API-Key': me.key ?? '' }
  const fetched = (accept: string, format = 'json', method = 'GET') =>
    fetch(`${world.base}/export?format=${format}`, {
      method,
      headers: { ...headers, 'Accept-Encoding': accept },
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
  const other = stranger()
  const { status } = await world.send(other, 'format=json', Bun.gzipSync(new Uint8Array(plain)), {
    'Content-Encoding': 'gzip',
  })
  expect(status).toBe(200)
  expect(await textOf(other)).toBe(await textOf(me))
})

test('of one deck it touches nothing else: no other deck, no settings, nothing that is here alone', async () => {
  const { me, decks, facts } = await threeDecks()
  const [top, below, beside] = decks.map(({ id }) => id)
  const other = stranger()
  await sent(other, await textOf(me))
  const mine = await world.fact(other, { deck_id: below, front: 'here alone' })
  const others = await world.deck(other, { name: 'Other', settings: { new_limit_per_day: 7 } })
  await world.fact(other, { deck_id: others.id, front: 'in another' })
  await call(other, 'PATCH', '/settings', { learn_ahead_minutes: 9 })
  // All of it is newer there.
  for (const minutes of [40, 41, 42]) await call(me, 'PATCH', '/settings', { learn_ahead_minutes: minutes })
  for (const id of [top, below, beside]) await call(me, 'PATCH', `/decks/${id}`, { description: 'newer' })
  for (const { id } of facts) await call(me, 'PATCH', `/facts/${id}`, { back: 'newer' })
  const before = await told(other)
  const report = await sent(other, await textOf(me, `&deck_id=${below}`))
  expect(counted(report)).toEqual({
    deck: { updated: 2 },
    fact: { updated: 1 },
    card: { updated: 1 },
    review: { unchanged: 1 },
  })
  const after = await told(other)
  const changed = Object.entries(after.lines).flatMap(([type, lines]) =>
    lines.filter((line, i) => !Bun.deepEquals(line, before.lines[type]?.[i])).map(({ id }) => `${type} ${id}`),
  )
  const [card] = await world.cards(me, facts[1] as Shown)
  const expected = [`deck ${top}`, `deck ${below}`, `fact ${facts[1]?.id}`, `card ${card.id}`]
  // The answer itself is as it was; which revision its card has stands beside it.
  const [review] = (await world.read(me, `/cards/${card.id}/reviews`)).items
  expect(changed.toSorted()).toEqual([...expected, `review ${review.id}`].toSorted())
  expect((await world.read(other, `/facts/${mine.id}`)).revision).toBe(1)
  expect((await world.read(other, '/settings')).learn_ahead_minutes).toBe(9)
  expect((await world.read(other, `/decks/${beside}`)).description).toBe('')
  expect((await world.read(other, `/facts/${facts[1]?.id}`)).back).toBe('newer')
})

test('what is newer here stays, and an answer that was given here makes the other log a conflict', async () => {
  const { me, facts } = await threeDecks()
  const other = stranger()
  const file = await textOf(me)
  await sent(other, file)
  const [card] = await world.cards(me, facts[0] as Shown)
  await call(other, 'PATCH', `/facts/${facts[1]?.id}`, { back: 'mine' })
  for (const as of [me, other, other]) {
    world.clock.now += 3_600_000
    await call(as, 'POST', `/cards/${card.id}/reviews`, { rating: as === me ? 1 : 3 })
  }
  const report = await sent(other, await textOf(me))
  expect(totals(report)).toEqual({ unchanged: JSON.parse(file).resources.length, failed: 1 })
  expect(report.items.filter(({ action }: Shown) => action === 'failed')).toMatchObject([
    { type: 'review', warnings: [{ code: 'conflict' }] },
  ])
  expect((await world.read(other, `/facts/${facts[1]?.id}`)).back).toBe('mine')
  expect((await world.read(other, `/cards/${card.id}`)).reps).toBe(3)
})

test('a fact comes without a note that is not here, and says so; with it where it is', async () => {
  const me = stranger()
  const note = (await world.callAny(me, 'POST', '/api/notes', { title: 'n' })).body
  const { id: deck_id } = await world.deck(me)
  const fact = await world.fact(me, { deck_id, note_ids: [note.id] })
  const file = await textOf(me)
  const [other, third] = [stranger(), stranger()]
  await world.callAny(third, 'POST', '/api/notes', { id: note.id, title: 'n' })
  const [lost, whole] = [await sent(other, file), await sent(third, file)]
  const warned = (report: Shown) =>
    report.items.flatMap(({ type, action, warnings }: Shown) => warnings.map(({ code }: Shown) => [type, action, code]))
  expect([warned(lost), warned(whole)]).toEqual([[['fact', 'created', 'unknown_note']], []])
  const notes = [other, third].map(async (as) => (await world.read(as, `/facts/${fact.id}`)).note_ids)
  expect(await Promise.all(notes)).toEqual([[], [note.id]])
  expect(await textOf(third)).toBe(file)
})

test('media are listed, and found where they are here by the same name', async () => {
  const { me, facts } = await threeDecks()
  await world.putMedia(me, 'a.png', PNG)
  await world.putMedia(me, 'unused.png', Uint8Array.of(...PNG, 2))
  await call(me, 'PATCH', `/facts/${facts[1]?.id}`, { back: '![](media:a.png)' })
  const file = Buffer.from(await world.exported(me, 'format=json')).toString()
  const [without, other, taken] = [stranger(), stranger(), stranger()]
  await world.putMedia(other, 'a.png', PNG)
  await world.putMedia(other, 'unused.png', Uint8Array.of(...PNG, 2))
  await world.putMedia(taken, 'a.png', Uint8Array.of(...PNG, 3))
  const media = async (as: As) => {
    const report = await sent(as, file)
    return report.items
      .filter(({ type }: Shown) => type === 'media')
      .map(({ action, warnings }: Shown) => [action, warnings[0]?.code])
  }
  expect(await media(me)).toEqual([
    ['unchanged', undefined],
    ['unchanged', undefined],
  ])
  expect(await media(other)).toEqual([
    ['unchanged', undefined],
    ['unchanged', undefined],
  ])
  expect(await media(without)).toEqual([
    ['failed', 'missing_file'],
    ['failed', 'missing_file'],
  ])
  expect(await media(taken)).toEqual([
    ['failed', 'conflict'],
    ['failed', 'missing_file'],
  ])
})

test('it goes below a deck, without its schedule, if that is asked for; other parameters are refused', async () => {
  const { me, decks } = await threeDecks()
  const file = await textOf(me)
  const other = stranger()
  const shelf = await world.deck(other, { name: 'Shelf' })
  const report = await sent(other, file, `&deck_id=${shelf.id}&scheduling=drop&on_duplicate=update`)
  expect(counted(report)).toEqual({ deck: { created: 3 }, fact: { created: 3 } })
  const parents = (await world.all(other, '/decks')).map(({ name, parent_id }) => [name, parent_id])
  expect(parents).toEqual([
    ['Below', decks[0]?.id],
    ['Beside', shelf.id],
    ['Shelf', null],
    ['Top', shelf.id],
  ])
  expect((await world.all(other, '/cards')).map(({ state }) => state)).toEqual(['new', 'new', 'new'])
  for (const query of ['on_duplicate=skip', 'on_duplicate=create', 'deck_id=01900000-0000-7000-8000-0000000fffff']) {
    const refused = await world.send(other, `format=json&${query}`, file)
    expect([query, refused.status, refused.body.code]).toEqual([query, 400, 'invalid_request'])
  }
  expect((await world.send(other, 'format=csv&on_duplicate=skip', 'a,b\n')).status).toBe(200)
})

test('whatever stands in the place of a resource is told as failed, and the others come', async () => {
  const { me } = await threeDecks()
  const { resources, ...head } = JSON.parse(await textOf(me))
  const anyPart = fc.tuple(
    fc.nat(resources.length - 1),
    fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }),
    fc.boolean(),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(anyPart, { minLength: 1, maxLength: 5 }), async (parts) => {
      const mixed = structuredClone(resources)
      for (const [at, value, isWhole] of parts) {
        const [type = ''] = Object.keys(resources[at])
        mixed[at] = isWhole ? value : { [type]: value }
      }
      const { items } = await sent(stranger(), JSON.stringify({ ...head, resources: mixed }))
      expect(items).toHaveLength(resources.length)
      for (const [i, { action, warnings }] of items.entries())
        if (parts.some(([at]) => at === i)) expect([action, typeof warnings[0].code]).toEqual(['failed', 'string'])
        else if (action !== 'created') expect(warnings[0].code).toMatch(/^unknown_(deck|fact|card)$/)
    }),
    { numRuns: runs(15) },
  )
})
