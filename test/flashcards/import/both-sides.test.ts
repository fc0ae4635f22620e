import { describe, expect, test } from 'bun:test'
import { recounted } from '../../support/recounted'
import type { As } from '../../support/world'
import { packageOf } from '../anki/build'
import { BASIC } from '../anki/support'
import { makeTransferWorld } from '../transfer-support'

/** A note that is edited here and in Anki: the later edit stands, whatever the order of imports. */

const world = recounted(await makeTransferWorld())

const START = Date.parse('2026-03-02T12:00:00.000Z')
const DAY = 86_400_000
const at = (day: number) => START + day * DAY

/** A package with one note, as edited in Anki on a day. */
const packed = (day: number, back: string) =>
  packageOf('legacy1', {
    decks: [{ id: 100, name: 'Deck' }],
    notetypes: [BASIC],
    notes: [{ id: START - DAY, mid: BASIC.id, fields: ['front', back], mod: at(day) / 1000 }],
    cards: [{ id: 11, nid: START - DAY, did: 100 }],
  })

async function bring(me: As, day: number, file: Uint8Array) {
  world.clock.now = at(day)
  const { items } = (await world.send(me, 'format=apkg', file)).body
  const note = items.find((item: { type: string }) => item.type === 'fact')
  return [note.action, ...note.warnings.map(({ code }: { code: string }) => code)]
}

async function edit(me: As, day: number, members: object) {
  world.clock.now = at(day)
  const fact = await only(me)
  expect((await world.call(me, 'PATCH', `/facts/${fact.id}`, members)).status).toBe(200)
}

async function only(me: As) {
  const facts = await world.all(me, '/facts')
  expect(facts).toHaveLength(1)
  const [fact] = facts
  return fact ?? {}
}

/** A caller who imported the note as of day 0 on day 5. */
async function begin() {
  const me = world.stranger()
  expect(await bring(me, 5, packed(0, 'first'))).toEqual(['created'])
  return me
}

test('an imported fact has the dates of its note', async () => {
  const me = await begin()
  expect(await only(me)).toMatchObject({
    created_at: new Date(START - DAY).toISOString(),
    updated_at: new Date(START).toISOString(),
  })
  expect(await bring(me, 8, packed(6, 'second'))).toEqual(['updated'])
  expect((await only(me)).updated_at).toBe(new Date(at(6)).toISOString())
  expect(await bring(me, 9, packed(7_000, 'in the future'))).toEqual(['updated'])
  expect((await only(me)).updated_at).toBe(new Date(at(9)).toISOString())
})

/** What happens on a day: an edit here, or an import of the note as Anki had it on another day. */
type Deed = [day: number, members: object] | [day: number, edited: number, back: string]
const EARLIER: Deed = [6, { back: 'mine' }]
const MINE: Deed = [8, { back: 'mine' }]
const SECOND: Deed = [9, 7, 'second']
const HERE = ['unchanged', 'edited_here']

const cases: [what: string, deeds: Deed[], outcome: string[], back: string][] = [
  ['in Anki stands where nobody edited here', [[9, 3, 'second']], ['updated'], 'second'],
  ['in Anki stands where that here is earlier', [EARLIER, SECOND], ['updated'], 'second'],
  [
    'in Anki stands where that here came before the latest import',
    [EARLIER, SECOND, [10, 8, 'third']],
    ['updated'],
    'third',
  ],
  ['of a text here stands where it is later', [MINE, SECOND, [10, 7, 'second']], HERE, 'mine'],
  ['of tags here stands where it is later', [[8, { tags: ['mine'] }], SECOND], HERE, 'first'],
  ['of a field here stands where it is later', [[8, { fields: { Back: 'mine' } }], SECOND], HERE, 'mine'],
  ['here stands without a line where Anki edited nothing', [MINE, [9, 0, 'first']], ['unchanged'], 'mine'],
  ['here stands until Anki edits it again', [MINE, SECOND, [11, 10, 'third']], ['updated'], 'third'],
]

test.each(cases)('the edit %s', async (_, deeds, outcome, back) => {
  const me = await begin()
  let last: string[] = []
  for (const [day, what, text] of deeds)
    if (typeof what === 'number') last = await bring(me, day, packed(what, text ?? ''))
    else await edit(me, day, what)
  expect([last, (await only(me)).back]).toEqual([outcome, back])
})

describe('of a fact that was made here, exported and imported again', () => {
  async function exported() {
    const me = world.stranger()
    world.clock.now = at(0)
    const { body: deck } = await world.call(me, 'POST', '/decks', { name: 'Deck' })
    const { body } = await world.call(me, 'POST', '/facts', {
      deck_id: deck.id,
      type: 'basic',
      front: 'front',
      back: 'mine',
    })
    const file = (day: number, back: string) =>
      packageOf('legacy1', {
        decks: [{ id: 100, name: 'Deck' }],
        notetypes: [BASIC],
        notes: [{ id: 1, mid: BASIC.id, fields: ['front', back], guid: body.id, mod: at(day) / 1000 }],
        cards: [{ id: 11, nid: 1, did: 100 }],
      })
    return { me, file }
  }

  test('an edit in Anki after the last one here stands', async () => {
    const { me, file } = await exported()
    expect(await bring(me, 3, file(2, 'theirs'))).toEqual(['updated'])
    expect((await only(me)).back).toBe('theirs')
  })

  test('a package that is older than the fact changes nothing', async () => {
    const { me, file } = await exported()
    await edit(me, 4, { back: 'later' })
    expect(await bring(me, 5, file(2, 'theirs'))).toEqual(['unchanged'])
    expect((await only(me)).back).toBe('later')
  })
})

test('a card that an edit in Anki takes away is in the trash from the import on', async () => {
  const me = world.stranger()
  const templates = [['{{cloze:Text}}', '{{cloze:Text}}<br>{{Extra}}']] as const
  const cloze = (day: number, text: string, ordinals: readonly number[]) =>
    packageOf('legacy1', {
      decks: [{ id: 100, name: 'Deck' }],
      notetypes: [{ id: 7, fields: ['Text', 'Extra'], templates, cloze: true }],
      notes: [{ id: 1, mid: 7, fields: [text, ''], mod: at(day) / 1000 }],
      cards: ordinals.map((ord) => ({ id: 11 + ord, nid: 1, did: 100, ord })),
    })
  await bring(me, 5, cloze(0, '{{c1::one}} and {{c2::two}}', [0, 1]))
  expect(await world.all(me, '/cards')).toHaveLength(2)
  expect(await bring(me, 99, cloze(7, '{{c2::two}}', [1]))).toEqual(['updated'])
  const trashed = await world.all(me, '/cards?trashed=true')
  expect(trashed.map(({ ordinal, deleted_at }) => [ordinal, deleted_at])).toEqual([[0, new Date(at(99)).toISOString()]])
  expect((await only(me)).updated_at).toBe(new Date(at(7)).toISOString())
})
