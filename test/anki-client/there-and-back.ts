import { MANY_CALLERS } from '../support/keys'
import { type Place, Report } from '../torture/row'
import type { Anki, Told } from './anki'
import { Client } from './client'
import { differ } from './differ'

/** A collection made in Anki comes here, is changed and studied on both sides, comes again, and goes back. */
export async function thereAndBack(place: Place, anki: Anki, zone: string): Promise<Report> {
  const report = new Report(`there and back in ${zone}`)
  const client = new Client((await place.start({ settings: MANY_CALLERS })).url)
  await client.send('PATCH', '/settings', { time_zone: zone })
  const made = await anki.run('make')
  const file = async () => new Uint8Array(await Bun.file(anki.exported).arrayBuffer())
  const first = await client.import(await file())
  report.claim('each note comes in as a fact, with all cards and answers', [
    ...differ('facts', first.resources.fact.created, made.notes.length),
    ...differ('cards', first.resources.card.created, made.cards.length),
    ...differ('answers', first.resources.review.created, made.log_rows),
  ])
  report.claim('cards, fields, tags, schedule and log are those of Anki', await compare(client, made))

  const fact = await factNamed(client, 'edited here')
  await client.send('PATCH', `/facts/${fact.id}`, { back: 'edited *here*', tags: ['ours'] })
  const deck = (await client.all('/decks')).find(({ name }) => name === 'A')
  const settings = { new_limit_per_day: 7, learning_steps_minutes: [2, 5, 20] }
  await client.send('PATCH', `/decks/${deck.id}`, { settings })
  const added = await client.send('POST', '/facts', { type: 'basic', deck_id: deck.id, front: 'made here', back: 'b' })
  for (const front of ['made here', 'um', 'edited here', 'quatro']) await answerHere(client, front, 3)

  const studied = await anki.run('study')
  const second = await client.import(await file())
  const news = studied.log_rows - made.log_rows
  report.claim('the edits and answers of Anki come in, and nothing else', [
    ...differ('facts', actions(second, 'fact'), { updated: 2, unchanged: made.notes.length - 2 }),
    ...differ('answers', actions(second, 'review'), { created: news }),
  ])
  const third = await client.import(await file())
  report.claim('a third import changes nothing', [
    ...differ('facts', actions(third, 'fact'), { unchanged: made.notes.length }),
    ...differ('answers', actions(third, 'review'), {}),
  ])

  const back = await anki.run('replace', await client.export('format=colpkg'))
  report.claim('Anki finds the collection sound, and repairs nothing', [
    ...differ('sound', back.sound, true),
    ...differ('problems', back.problems, made.problems),
  ])
  report.claim('nothing is lost and nothing doubled in Anki', [
    ...differ('notes', back.notes.length, made.notes.length + 1),
    ...differ('rows of the log', back.log_rows, studied.log_rows + 4),
    ...differ('media', back.media, made.media),
    ...(await compare(client, back)),
    ...studied.log.flatMap(([guid, ord, id, ease, time]) =>
      differ(
        `answer ${id}`,
        back.log.filter((row) => row[0] === guid && row[1] === ord && row[2] === id && row[3] === ease),
        [[guid, ord, id, ease, time]],
      ),
    ),
  ])
  const edited = back.notes.map(({ fields }) => fields.slice(0, 2).join(' | '))
  report.claim('the edits of both sides stand in Anki', [
    ...['edited here | edited <em>here</em>', 'edited there | changed in <i>Anki</i>', 'front | back of Anki'].filter(
      (text) => !edited.includes(text),
    ),
  ])
  const options = back.options.find(([name]) => name === 'A')?.[1]
  report.claim('a deck has its options', differ('A', [options?.new.perDay, options?.new.delays], [7, [2, 5, 20]]))

  await client.send('PATCH', `/facts/${added.id}`, { back: 'edited later' })
  const updated = await anki.run('update', await client.export('format=apkg&scheduling=false'))
  report.claim('a package into the same collection updates what was edited, and doubles nothing', [
    ...differ('added and updated', [updated.added, updated.updated], [0, 1]),
    ...differ('notes, cards, log', sizes(updated), sizes(back)),
    ...differ('note types', updated.models, back.models),
  ])
  return report
}

const sizes = ({ notes, cards, log }: Told) => [notes.length, cards.length, log.length]

const actions = ({ resources }: { resources: Record<string, Record<string, number>> }, type: string) =>
  Object.fromEntries(Object.entries(resources[type] ?? {}).filter(([, count]) => count > 0))

async function factNamed(client: Client, front: string) {
  return (await client.all('/facts')).find((fact) => fact.front === front)
}

async function answerHere(client: Client, front: string, rating: number) {
  const { id } = await factNamed(client, front)
  const card = (await client.all('/cards')).find(({ fact_id, ordinal }) => fact_id === id && ordinal === 0)
  await client.send('POST', `/cards/${card.id}/reviews`, { rating, duration_ms: 1234 })
}

/** Returns where the cards and the logs here differ from those of a collection. */
async function compare(client: Client, { notes, cards, log }: Told): Promise<string[]> {
  const facts = new Map((await client.all('/facts')).map((fact) => [fact.id, fact]))
  const decks = new Map((await client.all('/decks')).map((deck) => [deck.id, deck]))
  const pathOf = (id: string | null): string =>
    id === null ? '' : [pathOf(decks.get(id).parent_id), decks.get(id).name].filter(Boolean).join('::')
  const guidOf = ({ id, source }: { id: string; source: { id: string | null } | null }) => source?.id ?? id
  const ours = new Map(
    (await client.all('/cards')).map((card) => [keyOf(guidOf(facts.get(card.fact_id)), card.ordinal), card]),
  )
  const answers = Map.groupBy(await client.all('/reviews'), ({ card_id }) => card_id)
  return [
    ...differ('cards', ours.size, cards.length),
    ...notes.flatMap(({ guid, fields, tags }) => {
      const fact = [...facts.values()].find((one) => guidOf(one) === guid)
      if (!fact) return [`no fact ${guid}`]
      return [
        ...differ(`tags of ${guid}`, fact.tags, tags.toSorted()),
        ...(fact.fields ? differ(`fields of ${guid}`, Object.values(fact.fields), fields) : []),
      ]
    }),
    ...cards.flatMap((theirs) => {
      const card = ours.get(keyOf(theirs.guid, theirs.ord))
      if (!card) return [`no card ${theirs.guid} ${theirs.ord}`]
      const { state, due_day, due_at, scheduled_days, lapses, suspended, buried_until } = card
      const due = state === 'review' ? due_day : state === 'new' ? theirs.due : Math.floor(Date.parse(due_at) / 1000)
      return [
        ...differ(
          `schedule of ${theirs.guid} ${theirs.ord}`,
          [pathOf(card.deck_id), STATES.indexOf(state), due, lapses, suspended, buried_until !== null],
          [theirs.deck, theirs.type, theirs.due, theirs.lapses, theirs.queue === -1, theirs.queue < -1],
        ),
        ...(state === 'review' ? differ(`interval of ${theirs.guid}`, scheduled_days, theirs.interval) : []),
        ...differ(
          `log of ${theirs.guid} ${theirs.ord}`,
          (answers.get(card.id) ?? [])
            .map(({ reviewed_at, rating, duration_ms }) => [Date.parse(reviewed_at), rating, duration_ms])
            .toSorted((a, b) => a[0] - b[0]),
          log.flatMap(([guid, ord, id, ease, time]) =>
            guid === theirs.guid && ord === theirs.ord ? [[id, ease, time]] : [],
          ),
        ),
      ]
    }),
  ]
}

const STATES = ['new', 'learning', 'review', 'relearning']
const keyOf = (guid: string, ordinal: number) => `${guid} ${ordinal}`
