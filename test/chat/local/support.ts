import type { Engine, EngineRun } from '../../../src/chat/engine'
import { createLocalEngine } from '../../../src/chat/local/engine'
import { summarize } from '../../../src/chat/local/summary'
import { readDateWords, readPeriodWords } from '../../../src/lib/civil/words/date'
import type { ChatAction } from '../../../src/tools/schema'
import type { CitationSource } from '../../../src/tools/source'
import type { ToolOutcome, ToolScope } from '../../../src/tools/tool'

/** Noon of a Monday. */
const NOW = Date.parse('2026-03-02T12:00:00.000Z')

interface Note {
  readonly title: string
  readonly body: string
}

interface Task {
  readonly title: string
  readonly due?: string
  readonly done?: boolean
}

interface Drafts {
  readonly notes?: readonly Note[]
  readonly tasks?: readonly Task[]
  readonly drafts?: readonly Readonly<Record<string, unknown>>[]
}

export interface Said {
  readonly text: string
  readonly sources: readonly CitationSource[]
  readonly calls: readonly { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }[]
}

const outcome = (result: ToolOutcome['result'], sources: readonly CitationSource[] = []): ToolOutcome => ({
  result,
  action: null,
  fault: null,
  sources,
})

const ACTION: ChatAction = {
  n: 0,
  tool: '',
  risk: 'create',
  status: 'done',
  target: null,
  summary: '',
  result: null,
  undo: null,
  after_reading: false,
  preview: null,
  confirm: null,
  error: null,
}

/** A workspace in memory with tools that answer in the shapes of the catalogue, and the embedded engine over it. */
export function makeTalk({ notes = [], tasks = [], drafts = [] }: Drafts) {
  const engine: Engine = createLocalEngine({
    countNotes: async () => notes.length,
    now: () => NOW,
    readPeriod: (words, { timeZone, languages }) =>
      readPeriodWords(words, { now: NOW, time_zone: timeZone, languages }),
    openNotes: () => ({
      count: async (terms) => terms.map(() => 0),
      find: async () => ({ notes: [], corrected: [] }),
      findNear: async () => null,
    }),
    encoder: null,
    readWhen: (words, { timeZone, languages }) => readDateWords(words, { now: NOW, time_zone: timeZone, languages }),
  })
  const wholes = notes.map((note, i) => ({ ...note, id: `note-${i}`, revision: 1, type: 'note', preview: note.body }))
  const items = tasks.map(({ title, due = null, done = false }, i) => ({
    id: `task-${i}`,
    title,
    due,
    done,
    revision: 1,
  }))

  const tools: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => ToolOutcome>> = {
    list_tasks: ({ filter }) => {
      const words = [...String(filter).matchAll(/"([^"]*)"/g)].map(([, word = '']) => word.replace('*', ''))
      const holds = (title: string) => words.length === 0 || words.some((word) => title.toLowerCase().includes(word))
      const wantsDone = /\bdone\b/.test(String(filter))
      const wantsOpen = !/^\(done\)/.test(String(filter))
      const found = items.filter(({ title, done }) => holds(title) && (done ? wantsDone : wantsOpen))
      const sources = found.map(({ id, title }): CitationSource => {
        return { type: 'task', id, title, revision: 1, text: title, start: 0, end: title.length }
      })
      return outcome({ items: found, total: found.length }, sources)
    },
    list_due_cards: () => {
      const [id, front] = ['fact-0', 'Capital of France?']
      const source: CitationSource = {
        type: 'fact',
        id,
        title: front,
        revision: 1,
        text: front,
        start: 0,
        end: front.length,
      }
      return outcome({ items: [{ id: 'card-0', front }], counts: { new: 2, learning: 1, review: 4 } }, [source])
    },
    search: ({ query }) => {
      const words = String(query).toLowerCase().split(/\s+/)
      const found = wholes.filter(({ title, body }) =>
        words.some((word) => `${title} ${body}`.toLowerCase().includes(word)),
      )
      return outcome({ items: found.map(({ body: _, ...item }) => item) })
    },
    summarize: ({ id }) => {
      const note = wholes.find((one) => one.id === id)
      const ranges = summarize(note?.body ?? '', 3)
      const sources = ranges.map((range): CitationSource => {
        return { type: 'note', id: String(id), title: note?.title ?? '', revision: 1, text: note?.body ?? '', ...range }
      })
      return outcome({ title: note?.title }, sources)
    },
    suggest_cards: () => outcome({ drafts }),
    trash_item: ({ id }) => {
      const title = [...wholes, ...items].find((one) => one.id === id)?.title ?? ''
      const target = { type: 'note' as const, id: String(id), title, revision: 1 }
      return { ...outcome({}), action: { ...ACTION, tool: 'trash_item', status: 'pending', target } }
    },
  }

  /** Says a message to the engine. */
  async function say(message: string, mode: 'read' | 'write' = 'write', scope: Partial<ToolScope> = {}): Promise<Said> {
    const said = { text: '', sources: [] as CitationSource[], calls: [] as Said['calls'][number][] }
    const run = {
      ask: {
        message,
        messages: [{ role: 'user', content: message }],
        mode,
        timeZone: 'UTC',
        languages: ['en'],
        scope: { types: null, tags: null, ids: null, ...scope },
      },
      say(text: string) {
        said.text += text
      },
      cite: (source: CitationSource) => said.sources.push(source),
      async call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolOutcome> {
        said.calls.push({ tool, args })
        const known = tools[tool]
        const done = { ...ACTION, tool, summary: `Did ${tool}` }
        return known ? known(args) : { ...outcome({ due: '2026-03-03T09:00' }), action: done }
      },
      listWaiting: async () => [],
      rate: () => {},
      warn: () => {},
    }
    await engine.answer(run as unknown as EngineRun)
    return said
  }

  return { say }
}

export const WRITES = ['create_note', 'create_task', 'create_cards', 'update_note', 'update_task', 'trash_item']
