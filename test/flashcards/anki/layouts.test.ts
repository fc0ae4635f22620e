import { describe, expect, test } from 'bun:test'
import { zstdCompressSync } from 'node:zlib'
import type { Layout } from '../../../src/flashcards/anki/open-package'
import { zipOf } from '../../support/zip'
import { STUDIED_SOURCE } from '../transfer-support'
import { collectionOf, message, packageOf, type Source, type SourceCard } from './build'
import { BASIC, codesIn, factsIn, itemsOf } from './support'

const DAY = 86_400_000
const [studied, ...others] = STUDIED_SOURCE.cards
/** Its first card is in a filtered deck. */
const source: Source = {
  ...STUDIED_SOURCE,
  decks: [...STUDIED_SOURCE.decks, { id: 102, name: 'Cram', filtered: true }],
  notes: STUDIED_SOURCE.notes.slice(0, 2),
  cards: [{ ...(studied as SourceCard), did: 102, odid: 100, odue: 20, due: -5 }, ...others.slice(0, 2)],
}

/** Only schema 18 has all settings of note types. */
const withoutSettings = (items: Awaited<ReturnType<typeof itemsOf>>) =>
  items.map((item) => (item.kind === 'note_type' ? { ...item, noteType: { ...item.noteType, settings: null } } : item))

describe('a package', () => {
  test.each<Layout>(['legacy1', 'legacy2', 'latest'])(
    'of the layout %s gives the facts of its source',
    async (layout) => {
      const items = await itemsOf(packageOf(layout, source))
      expect(withoutSettings(items)).toEqual(withoutSettings(await itemsOf(packageOf('legacy1', source))))
      const [river, lisbon] = factsIn(items)
      expect(river).toEqual({
        kind: 'fact',
        where: 'note 1',
        fact: {
          type: 'basic',
          front: 'o rio ![](media:rio.png)',
          back: 'the **river**',
          text: null,
          extra: null,
          tags: ['Water::sweet', 'noun'],
          source: { system: 'anki', id: 'guid-1' },
        },
        note: {
          note_type: expect.stringMatching(/^[0-9a-f]{64}$/),
          fields: { Front: 'o rio <img src="rio.png">', Back: 'the <b>river</b>' },
          ordinals: null,
        },
        created_at: 1,
        deck: ['Languages', 'Portuguese'],
        external_modified_at: 1_767_900_000_000,
        cards: [
          {
            ...{ ordinal: 0, state: 'review', due_day: '2026-01-21', due_at: null, stability: 12.5, difficulty: 4.25 },
            ...{ ease: 2.3, scheduled_days: 12, step: 0, reps: 2, lapses: 0, last_reviewed_at: 1_767_800_000_000 },
            ...{ suspended: false, buried_until: null, flag: 3, leech: false, position: null },
          },
        ],
        log: [
          { ordinal: 0, reviewed_at: 1_767_700_000_000, kind: 'learning', rating: 3, duration_ms: 5000 },
          { ordinal: 0, reviewed_at: 1_767_800_000_000, kind: 'review', rating: 4, duration_ms: 5000 },
        ],
      })
      expect(lisbon?.fact).toMatchObject({
        type: 'cloze',
        text: '{{c1::Lisboa}} fica no {{c2::Tejo}}',
        extra: 'A capital',
      })
      expect(lisbon?.cards.map(({ state, position, due_at }) => [state, position, due_at])).toEqual([
        ['new', 7, null],
        ['learning', null, 1_767_960_600_000],
      ])
      expect(items.filter(({ kind }) => kind === 'deck')).toEqual([
        { kind: 'deck', path: ['Geography'], description: '' },
        { kind: 'deck', path: ['Languages', 'Portuguese'], description: '' },
      ])
      expect(
        items.flatMap((item) => (item.kind === 'media' ? [[item.name, Buffer.from(item.bytes ?? []).toString()]] : [])),
      ).toEqual([
        ['rio.png', 'picture'],
        ['não.mp3', 'sound'],
      ])
      expect(codesIn(items)).toEqual([])
    },
  )

  test('without media, or without meta, is read all the same', async () => {
    const { media: _, ...plain } = source
    expect(factsIn(await itemsOf(packageOf('legacy1', plain)))).toHaveLength(2)
  })
})

describe('the days of a collection', () => {
  const dueOn = async (crt: number, conf: Record<string, unknown>) => {
    const card = { id: 1, nid: 1, did: 1, type: 2, queue: 2, due: 3, ivl: 2 }
    const note = { id: 1, mid: 10, fields: ['a', 'b'] }
    const [fact] = factsIn(
      await itemsOf(packageOf('latest', { decks: [], notetypes: [BASIC], notes: [note], cards: [card], crt, conf })),
    )
    return [fact?.cards[0]?.due_day, fact?.cards[0]?.last_reviewed_at]
  }

  test('begin at the hour of the zone where it was created', async () => {
    // 2026-03-01 at four o'clock in New York (UTC-5), and in Auckland (UTC+13).
    const [newYork, auckland] = [Date.UTC(2026, 2, 1, 9) / 1000, Date.UTC(2026, 1, 28, 15) / 1000]
    expect(await dueOn(newYork, { creationOffset: 300 })).toEqual(['2026-03-04', Date.UTC(2026, 2, 2, 9)])
    expect(await dueOn(auckland, { creationOffset: -780 })).toEqual(['2026-03-04', Date.UTC(2026, 2, 1, 15)])
  })

  test('are told from the hour of its creation where the zone is not', async () => {
    expect((await dueOn(Date.UTC(2026, 2, 1, 9) / 1000, {}))[0]).toBe('2026-03-04')
    expect((await dueOn(Date.UTC(2026, 1, 28, 15) / 1000, {}))[0]).toBe('2026-03-04')
  })

  test('of a buried card: it comes back on the day after the last change', async () => {
    const card = { id: 1, nid: 1, did: 1, type: 2, queue: -2, due: 3 }
    const mod = Date.UTC(2026, 2, 9, 3) // still the study day before
    const built = { decks: [], notetypes: [BASIC], notes: [{ id: 1, mid: 10, fields: ['a', 'b'] }], cards: [card], mod }
    const [fact] = factsIn(await itemsOf(packageOf('legacy2', { ...built, crt: (mod - 30 * DAY) / 1000 })))
    expect(fact?.cards[0]?.buried_until).toBe('2026-03-09')
  })
})

test('a collection whose tags stand in the order of a collation that only Anki has is read', async () => {
  const bytes = Buffer.from(collectionOf(source, 18, "INSERT INTO tags VALUES ('äa', 0), ('ÄB', 0)"))
  // Anki folds Ä to ä and finds äa before ÄB; by its bytes it comes after it.
  const [lower, upper] = [bytes.indexOf('äa'), bytes.indexOf('ÄB')]
  bytes.write('ÄB', lower)
  bytes.write('äa', upper)
  const latest = [
    { name: 'meta', data: message(1, 3) },
    { name: 'collection.anki21b', data: zstdCompressSync(bytes) },
  ]
  expect(factsIn(await itemsOf(zipOf(latest)))).toHaveLength(2)
})
