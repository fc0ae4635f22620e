import { useDatabase } from '../support/database'
import { paged } from '../support/paged'
import { type As, MANY_CALLERS, makeWorld, type Shown, stranger } from '../support/world'

export type { Shown }

const BASE = '/api/flashcards'
let names = 0

/** What a card is like after some answers, as columns: due on a day that the tests have not reached. */
export const STUDIED = {
  state: 'review',
  due_day: 20_600,
  stability: 16.18802274,
  difficulty: 2.1043314,
  scheduled_days: 16,
  reps: 3,
  last_reviewed_at: Date.parse('2026-03-01T13:15:00.000Z'),
}

/** The app without limits of requests, and short ways to ask for flashcards. */
export async function makeStudyWorld(settings: Readonly<Record<string, string>> = {}) {
  const world = await makeWorld({ settings: { ...MANY_CALLERS, ...settings } })
  const call = (me: As, method: string, path: string, body?: unknown, headers = {}) =>
    world.call(me, method, BASE + path, body, headers)

  async function make(me: As, path: string, body: object): Promise<Shown> {
    const made = await call(me, 'POST', path, body)
    if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    return made.body
  }

  return {
    ...world,
    call,
    /** Asks for whatever else there is. */
    callAny: world.call,

    stranger,

    deck: (me: As, deck: object = {}): Promise<Shown> => make(me, '/decks', { name: `deck ${++names}`, ...deck }),

    /** Makes a basic fact, unless it is said to be another, and returns it as it is read, without its cards. */
    async fact(me: As, fact: object): Promise<Shown> {
      const { cards: _, ...made } = await make(me, '/facts', { type: 'basic', front: 'f', back: 'b', ...fact })
      return made
    },

    read: async (me: As, path: string): Promise<Shown> => (await call(me, 'GET', path)).body,

    /** All that a list shows. */
    all: (me: As, path: string): Promise<Shown[]> =>
      paged((to) => call(me, 'GET', to), `${path}${path.includes('?') ? '&' : '?'}limit=7`),

    /** The cards of a fact that a list shows, by ordinal. */
    async cards(me: As, fact: { id: string }, query = ''): Promise<Shown[]> {
      const { items } = (await call(me, 'GET', `/cards?limit=200${query}`)).body
      const own = items.filter(({ fact_id }: Shown) => fact_id === fact.id)
      return own.toSorted((a: Shown, b: Shown) => a.ordinal - b.ordinal)
    },

    /** Gives a card the columns of one that was studied. */
    async study(card: string, columns: object = STUDIED): Promise<void> {
      const set = Object.keys(columns).map((name, i) => `${name} = $${i + 2}`)
      const sql = `UPDATE study_cards SET ${set.join(', ')} WHERE id = $1`
      await useDatabase(world.folder, (db) => db.run(sql, [card, ...Object.values(columns)]))
    },
  }
}
