import { join } from 'node:path'
import { MANY_CALLERS } from '../support/keys'
import { type Place, Report } from '../torture/row'
import { Client } from './client'
import { differ } from './differ'

/** What mnemosyne-database.py tells of its database. */
interface Told {
  readonly facts: number
  readonly cards: readonly {
    type: string
    fields: string[]
    tags: string[]
    grade: number
    reps: number
    lapses: number
    easiness: number
    next: number
    last: number
  }[]
  /** Seconds since 1970, grade, seconds of thinking. */
  readonly log: readonly [at: number, grade: number, thought: number][]
  readonly media: readonly string[]
  readonly errors: readonly string[]
}

const DAY = 86_400_000
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1)
const FACTS = [
  { type: 'basic', front: 'a *b*', back: '![p](media:p.png)', tags: ['x', 'y::z'] },
  { type: 'reversed', front: 'c', back: 'd' },
  { type: 'typed', front: 'e', back: 'f' },
  { type: 'cloze', text: '{{c1::g}} {{c2::h}}' },
]

/** Mnemosyne reads a package of every type of fact, with new, learned and reviewed cards. */
export async function askMnemosyne(place: Place, library: string): Promise<Report> {
  const report = new Report('Mnemosyne')
  const client = new Client((await place.start({ settings: MANY_CALLERS })).url)
  await client.put('/media/p.png', PNG)
  const deck = await client.send('POST', '/decks', { name: 'Deck' })
  for (const fact of FACTS) await client.send('POST', '/facts', { deck_id: deck.id, ...fact })
  const [first, second, third] = await client.all('/cards')
  const start = Date.now() - 30 * DAY
  for (const [card, days] of [
    [first, [0, 1, 9]],
    [second, [0, 2]],
    [third, [29.99]],
  ] as const)
    for (const after of days)
      await client.send('POST', `/cards/${card.id}/reviews`, {
        ...{ rating: after === 29.99 ? 1 : 4, duration_ms: 3000 },
        reviewed_at: new Date(start + after * DAY).toISOString(),
      })
  const path = join(place.folder, 'ours.apkg')
  await Bun.write(path, await client.export('format=apkg'))
  const child = Bun.spawn(['python3', join(import.meta.dir, 'mnemosyne-database.py'), path], {
    env: { PATH: process.env.PATH, HOME: place.folder, PYTHONPATH: library },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(errors)
  const told: Told = JSON.parse(out)

  report.claim('facts, cards and media are all there, without an error', [
    ...differ('facts', told.facts, FACTS.length),
    ...differ(
      'cards',
      told.cards.map(({ type }) => type).toSorted(),
      [
        ['Basic', 1],
        ['Cloze', 2],
        ['Reversed', 2],
        ['Typed', 1],
      ].flatMap(([type, count]) => Array.from({ length: Number(count) }, () => `Satchel ${type}`)),
    ),
    ...differ('media', told.media, ['p.png']),
    ...differ('errors', told.errors, []),
  ])
  const basic = told.cards.find(({ type }) => type === 'Satchel Basic')
  report.claim('a deck is a tag, beside the tags', differ('tags', basic?.tags, ['Deck', 'x', 'y::z']))
  report.claim(
    'fields are HTML',
    differ('fields', basic?.fields.slice(0, 2), ['a <em>b</em>', '<img src="p.png" alt="p" />']),
  )
  const cards = (await client.all('/cards')).filter(({ state }) => state === 'review')
  const learned = told.cards.filter(({ grade }) => grade >= 2)
  const ofOurs = ({ due_day, scheduled_days, reps, lapses }: (typeof cards)[number]) => {
    const next = Date.parse(`${due_day}T04:00:00Z`) / 1000
    return [next, next - (scheduled_days * DAY) / 1000, reps, lapses]
  }
  report.claim(
    'what is in review is due on its day, with its interval, repetitions and lapses',
    differ(
      'learning data',
      learned.map(({ next, last, reps, lapses }) => [next, last, reps, lapses]).toSorted(),
      cards.map(ofOurs).toSorted(),
    ),
  )
  const log = (await client.all('/reviews')).toReversed()
  report.claim(
    'every answer is in the log, with its time; those of learning without a grade',
    differ(
      'log',
      told.log,
      log.map(({ reviewed_at, kind, rating }) => [
        Math.floor(Date.parse(reviewed_at) / 1000),
        kind === 'learning' ? 0 : rating + 1,
        3,
      ]),
    ),
  )
  return report
}
