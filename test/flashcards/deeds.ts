import fc from 'fast-check'
import { DEFAULT_WEIGHTS } from '../../src/flashcards/scheduling/settings'
import type { As } from '../support/world'
import { anyFact } from './arbitrary'
import type { PortableWorld } from './archive-support'
import type { Shown } from './support'

/** Workspaces in which anything was done. */

export const START = Date.parse('2026-03-02T12:00:00.000Z')
export const DAY = 86_400_000
export const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1)

const DEEDS = ['deck', 'fact', 'answer', 'undo', 'trash', 'restore', 'edit', 'act', 'set'] as const

/** What was done, as numbers that choose among what there is. */
export const anyDeed = fc.tuple(
  // Answers come most often.
  fc.constantFrom(...DEEDS, 'fact' as const, 'answer' as const, 'answer' as const),
  fc.nat(1000),
  fc.nat(1000),
  anyFact,
)
export type Deed = typeof anyDeed extends fc.Arbitrary<infer Value> ? Value : never

/** Does something to a workspace; what cannot be done is refused, and nothing happens. */
export async function act({ call, ...world }: PortableWorld, me: As, [what, one, other, fact]: Deed): Promise<void> {
  world.clock.now += (one % 40) * 3_600_000 + 1
  const pick = async (path: string, by = one): Promise<Shown> => {
    const items = (await world.read(me, path)).items
    return items[by % items.length] ?? { id: 'none' }
  }
  const deck = await pick('/decks?limit=200')
  const card = await pick('/cards?limit=200')
  const trashed = one % 2 === 0 ? 'decks' : 'facts'
  const weights = DEFAULT_WEIGHTS.with(0, 0.5)
  const deeds: Record<Deed[0], () => Promise<unknown>> = {
    deck: async () => {
      const parent_id = other % 3 === 0 ? null : (await pick('/decks?limit=200', other)).id
      return call(me, 'POST', '/decks', { name: `d${one}`, parent_id, settings: { new_limit_per_day: one } })
    },
    fact: () => call(me, 'POST', '/facts', { ...fact, deck_id: deck.id }),
    answer: () => {
      // Some answers are late.
      const at = world.clock.now - (one % 3) * one * 3_600_000
      const body = { rating: 1 + (other % 4), duration_ms: one, reviewed_at: new Date(at).toISOString() }
      return call(me, 'POST', `/cards/${card.id}/reviews`, body)
    },
    undo: () => call(me, 'POST', '/reviews/undo'),
    trash: async () => {
      const gone = await pick(`/${trashed}?limit=200`, other)
      return call(me, 'DELETE', `/${trashed}/${gone.id}${other % 7 === 0 ? '?permanent=true' : ''}`)
    },
    restore: async () => {
      const gone = await pick(`/${trashed}?limit=200&trashed=true`, other)
      return call(me, 'POST', `/${trashed}/${gone.id}/restore`)
    },
    edit: async () => {
      await call(me, 'PATCH', `/cards/${card.id}`, { flag: one % 8, suspended: other % 3 === 0, position: other })
      const { id, type } = await pick('/facts?limit=200', other)
      const patch = type === 'cloze' ? { text: '{{c2::a}} {{c7::b}}' } : { type: 'reversed', accepted: null }
      await call(me, 'PATCH', `/facts/${id}`, { ...patch, deck_id: deck.id })
      if (other % 5 === 0) await call(me, 'PATCH', `/decks/${deck.id}`, { parent_id: null, settings: { weights } })
    },
    act: () => {
      const [action, value] =
        (
          [
            ['reset', undefined],
            ['bury', undefined],
            ['set_due', '2026-06-01'],
          ] as const
        )[other % 3] ?? []
      return call(me, 'POST', '/cards/actions', { ids: [card.id], action, ...(value ? { value } : {}) })
    },
    set: async () => {
      await call(me, 'PATCH', '/settings', {
        day_starts_at_hour: one % 24,
        time_zone: 'Europe/Lisbon',
        deck_defaults: { fuzz: other % 2 === 0 },
      })
      await world.putMedia(me, `m${one % 3}.png`, Uint8Array.of(...PNG, other % 256))
    },
  }
  await deeds[what]()
}

/** A workspace of two decks in which some things were done. */
export async function grownIn(world: PortableWorld, deeds: readonly Deed[]): Promise<As> {
  const me = world.stranger()
  world.clock.now = START
  const top = await world.deck(me)
  await world.deck(me, { parent_id: top.id })
  for (const deed of deeds) await act(world, me, deed)
  return me
}
