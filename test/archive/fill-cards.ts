import type { As } from '../support/world'
import { type ArchiveWorld, archiveOf, NOTE_TYPE_LINE } from './support'

/** Flashcards of every type, answered, undone, suspended and in the trash, with media and settings. */
export async function fillCards(world: ArchiveWorld, me: As): Promise<void> {
  const { made, call, clock } = world
  const act = async (path: string, body: object = {}) => {
    clock.now += 1000
    return made(me, `/api/flashcards/${path}`, body)
  }
  await call(me, 'PATCH', '/api/flashcards/settings', { time_zone: 'Europe/Berlin', deck_defaults: { fuzz: false } })
  const top = await act('decks', { name: 'Languages', settings: { new_limit_per_day: 5 } })
  const deck = await act('decks', { name: 'Norwegian', parent_id: top.id, description: '*bokmål*' })
  const old = await act('decks', { name: 'Old' })
  await call(me, 'PUT', '/api/flashcards/media/cat.txt', 'meow')
  await call(me, 'PUT', '/api/flashcards/media/copy.txt', 'meow')
  const facts = [
    { type: 'basic', front: 'katt ![](media:cat.txt)', back: 'cat', tags: ['animals::pets', 'a1'] },
    { type: 'reversed', front: 'hund', back: 'dog', extra: 'x', hint: 'h' },
    { type: 'typed', front: 'ku', back: 'cow', accepted: ['a cow'] },
    { type: 'cloze', text: '{{c1::Oslo}} is in {{c2::Norway::land}}' },
  ]
  const ids: string[] = []
  for (const fact of facts) ids.push((await act('facts', { ...fact, deck_id: deck.id })).id)
  await world.imported(me, archiveOf({ note_type: [NOTE_TYPE_LINE] }))
  await act('facts', { type: 'basic', front: 'away', back: 'x', deck_id: old.id })
  await call(me, 'DELETE', `/api/flashcards/decks/${old.id}`)
  await call(me, 'PATCH', `/api/flashcards/facts/${ids[3]}`, { text: '{{c1::Oslo}} is in Norway' })
  await call(me, 'DELETE', `/api/flashcards/facts/${ids[2]}`)
  const cards = (await call(me, 'GET', '/api/flashcards/cards')).body.items
  for (const [i, { id }] of cards.entries()) {
    await act(`cards/${id}/reviews`, { rating: 1 + (i % 4), duration_ms: 1500 })
    clock.now += 600_000
    const { review } = await act(`cards/${id}/reviews`, { rating: 3 })
    if (i === 0) await act(`reviews/${review.id}/undo`)
  }
  await call(me, 'PATCH', `/api/flashcards/cards/${cards[1].id}`, { suspended: true, flag: 3 })
}
