/** What a stranger writes in an hour: full-text search over single sentences, and eleven patterns of commands. */
import { Database } from 'bun:sqlite'
import { fold, type Resources } from './set'

const STOP = new Set(
  `a about am an and any are at be by can did do does for from had has have how i in is it its me my of on or our s that the
  their them there they this to was we what whats when where which who whose why will with you your`.split(/\s+/),
)
const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\d]+/gu) ?? []
const tellingOf = (text: string) => wordsOf(text).filter((word) => !STOP.has(word))

/** Words of a question that is asked together with the one before it, at most. */
const SHORT = 3

/** Creates it over these resources; it answers each question with the best sentence, whatever that is. */
export function createBaseline({ notes, tasks, cards }: Resources) {
  const sentences = [
    ...notes.flatMap(({ title, body }) => body.split(/(?<=[.!?])\s+|\n+/).map((one) => `${title}: ${one}`)),
    ...tasks.map(({ title, due, project, repeat, labels, priority, done }) =>
      [title, done ? 'done' : 'open', `due ${due ?? 'never'}`, project, repeat, labels, `priority ${priority}`].join(
        ', ',
      ),
    ),
    ...cards.map(({ deck, prompt, answer }) => `${deck}: ${prompt} ${answer}`),
  ]
  const db = new Database(':memory:')
  db.run("CREATE VIRTUAL TABLE s USING fts5(text, tokenize = 'porter unicode61')")
  const insert = db.query('INSERT INTO s VALUES (?)')
  db.transaction(() => sentences.forEach((one) => void insert.run(one)))()
  const search = db.query<{ text: string }, [string]>(
    'SELECT text FROM s WHERE s MATCH ? ORDER BY bm25(s), rowid LIMIT 1',
  )
  return (ask: string, before = ''): { text: string; grounded: boolean } => {
    const own = tellingOf(ask)
    const asked = own.length <= SHORT ? [...tellingOf(before), ...own] : own
    const text = asked.length === 0 ? '' : (search.get(asked.map((word) => `"${word}"`).join(' OR '))?.text ?? '')
    return { text, grounded: text !== '' && asked.every((word) => wordsOf(text).includes(word)) }
  }
}

/** What a command is read as: a request of the API, where `FIND` stands for the best result for the object. */
export const PATTERNS: readonly [
  RegExp,
  method: string,
  path: string,
  body: (object: string, more: string) => object,
][] = [
  [/^(?:please )?(?:add|create|new)(?: a)? task:? (.+)/i, 'POST', '/api/tasks/quick', (text) => ({ text })],
  [/^(?:please )?remind me (?:to )?(.+)/i, 'POST', '/api/tasks/quick', (text) => ({ text })],
  [/^(?:complete|tick off|check off|mark) (.+?)(?: as done)?$/i, 'POST', '/api/tasks/FIND/complete', () => ({})],
  [/^(?:move|postpone|push) (.+) (?:to|until) (.+)/i, 'PATCH', '/api/tasks/FIND', (_, due) => ({ due })],
  [/^remove the due date from (.+)/i, 'PATCH', '/api/tasks/FIND', () => ({ due: null })],
  [/^(?:new|create a|add a) note:? (.+)/i, 'POST', '/api/notes', (body) => ({ body })],
  [/^remember (?:that )?(.+)/i, 'POST', '/api/notes', (body) => ({ body })],
  [/^rename (?:the )?note (.+) to (.+)/i, 'PATCH', '/api/notes/FIND', (_, title) => ({ title })],
  [/^rename (?:the )?(?:task )?(.+) to (.+)/i, 'PATCH', '/api/tasks/FIND', (_, title) => ({ title })],
  [/^set (.+) to priority (\d)/i, 'PATCH', '/api/tasks/FIND', (_, level) => ({ priority: Number(level) })],
  [/^(?:delete|trash) (?:the )?note (.+)/i, 'DELETE', '/api/notes/FIND', () => ({})],
]
