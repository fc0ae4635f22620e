/** The box that makes a task, a note or a card of one line, and marks what it has understood while it is typed. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { QuickParse } from '../../src/tasks/quick/types'
import { inWords } from '../api/client'
import type { Deck } from '../api/types'
import { timeZone, today } from '../data/clock'
import { newId } from '../data/ids'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import type { Write } from '../data/writes'
import { actWithUndo } from '../shell/act'
import { Dialog } from '../shell/Dialog'
import { notify } from '../shell/notice'
import { dateInWords } from '../tasks/dates'
import type { QuickSpan, readTask } from './read-task'

/** What it makes. A line with `::` is a card, whatever is chosen. */
type Kind = 'task' | 'note' | 'card'

/** The box is open with this text; null: it is closed. */
const opened = signal<string | null>(null)
export const openQuickAdd = (text = '') => {
  opened.value = text
}

/** The reader of dates in words, 32 KB, which is loaded when the box first opens. */
type Read = typeof readTask

export function QuickAddDialog() {
  if (opened.value === null) return null
  return (
    <Dialog label="Quick add" class="quick-add" onClose={() => (opened.value = null)}>
      <QuickAddForm start={opened.value} />
    </Dialog>
  )
}

function QuickAddForm({ start }: { start: string }) {
  const workspace = useWorkspace()
  const [text, setText] = useState(start)
  const [chosen, setChosen] = useState<Kind>('task')
  const [read, setRead] = useState<{ readTask: Read } | null>(null)
  const [fault, setFault] = useState('')
  useEffect(() => {
    import('./read-task').then(setRead, () => setFault('Dates cannot be read now: the server cannot be reached.'))
  }, [])
  const kind = cardSides(text) ? 'card' : chosen
  const parse = kind === 'task' && read ? read.readTask(text, workspace.copy, readingSettings(workspace), null) : null

  async function submit(event: Event) {
    event.preventDefault()
    setFault('')
    try {
      const problem = await add(workspace, kind, text, parse)
      if (problem) setFault(problem)
      else setText('')
    } catch (error) {
      setFault(inWords(error))
    }
  }

  return (
    <form method="dialog" onSubmit={submit}>
      <Kinds kind={kind} choose={setChosen} />
      <MarkedInput text={text} spans={parse?.spans ?? []} setText={setText} kind={kind} />
      <Understood parse={parse} setText={setText} text={text} />
      <p class="fault" role="alert">
        {fault}
      </p>
      <div class="row">
        <button class="primary" type="submit" disabled={text.trim() === ''}>
          Add {kind}
        </button>
        <span class="fine">{HINTS[kind]}</span>
      </div>
    </form>
  )
}

const HINTS: Readonly<Record<Kind, string>> = {
  task: 'tomorrow 9am · every friday · @label · #project · !1',
  note: 'The first line is the title.',
  card: 'question :: answer',
}

function Kinds({ kind, choose }: { kind: Kind; choose: (kind: Kind) => void }) {
  return (
    <fieldset class="segments">
      <legend class="unseen">What to add</legend>
      {(['task', 'note', 'card'] as const).map((each) => (
        <label key={each}>
          <input type="radio" name="kind" checked={kind === each} onChange={() => choose(each)} />
          <span>{each[0]?.toUpperCase() + each.slice(1)}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface MarkedInputProps {
  readonly text: string
  readonly spans: readonly QuickSpan[]
  readonly kind: Kind
  readonly setText: (text: string) => void
}

/** A field with marks behind what was understood: the same text, unseen, lies under the letters that are typed. */
function MarkedInput({ text, spans, kind, setText }: MarkedInputProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(text.length, text.length)
  }, [])
  return (
    <div class="marked">
      <div class="marks" aria-hidden="true" dir="auto">
        {markedParts(text, spans)}{' '}
      </div>
      <textarea
        ref={field}
        rows={1}
        dir="auto"
        aria-label={`New ${kind}`}
        placeholder={
          kind === 'task' ? 'Call mum tomorrow 9am' : kind === 'note' ? 'A thought' : 'Capital of Peru :: Lima'
        }
        maxLength={kind === 'task' ? 1000 : undefined}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing || (event.shiftKey && kind === 'note')) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
      />
    </div>
  )
}

/** Offsets of spans count code points. */
function markedParts(text: string, spans: readonly QuickSpan[]): ComponentChildren[] {
  const letters = [...text]
  const parts: ComponentChildren[] = []
  let at = 0
  for (const { start, end, kind } of spans) {
    if (kind === 'escape' || start < at) continue
    parts.push(letters.slice(at, start).join(''), <mark key={start}>{letters.slice(start, end).join('')}</mark>)
    at = end
  }
  return [...parts, letters.slice(at).join('')]
}

interface UnderstoodProps {
  readonly parse: QuickParse | null
  readonly text: string
  readonly setText: (text: string) => void
}

/** What was understood, each with a way to leave it in the title: quotes keep a part from being read. */
function Understood({ parse, text, setText }: UnderstoodProps) {
  if (!parse) return null
  const leave = ({ start, end }: QuickSpan) => {
    const letters = [...text]
    setText(`${letters.slice(0, start).join('')}"${letters.slice(start, end).join('')}"${letters.slice(end).join('')}`)
  }
  return (
    <ul class="chips" aria-label="Understood">
      {parse.spans
        .filter(({ kind }) => kind !== 'escape')
        .map((span) => (
          <li key={span.start}>
            <button type="button" onClick={() => leave(span)} aria-label={`Do not read “${span.text}” as ${span.kind}`}>
              {spanInWords(span)} <span aria-hidden="true">×</span>
            </button>
          </li>
        ))}
      {parse.warnings.map(({ start, text: part, detail }) => (
        <li key={`w${start}`} class="fine">
          “{part}” stays in the title: {detail}.
        </li>
      ))}
    </ul>
  )
}

function spanInWords({ kind, value, text }: QuickSpan): string {
  if (kind === 'date' && typeof value === 'string') return dateInWords(value.slice(0, 10), today.value)
  if (kind === 'priority') return `Priority ${value}`
  return text
}

function readingSettings({ copy }: Workspace) {
  const [settings] = copy.shown.workspace_settings.value.values()
  return { now: Date.now(), timeZone, language: settings?.language ?? ('en' as const) }
}

/** The sides of `front :: back`; null if it is none. */
function cardSides(text: string): { front: string; back: string } | null {
  const [, front, back] = /^(.*\S)\s+::\s+(\S.*)$/s.exec(text) ?? []
  return front !== undefined && back !== undefined ? { front: front.trim(), back: back.trim() } : null
}

/** Adds what was typed. Returns a sentence if it cannot be added as it is. */
async function add(workspace: Workspace, kind: Kind, text: string, parse: QuickParse | null): Promise<string | null> {
  const id = newId()
  if (kind === 'card') return addCard(workspace, text)
  if (kind === 'note') {
    const write: Write = { type: 'note', op: { op: 'create', id, data: { body: text.trim() } } }
    actWithUndo(workspace, 'Added a note.', [write], [{ type: 'note', op: { op: 'delete', id } }])
    return null
  }
  if (parse?.title === '') return 'Nothing is left for a title.'
  const { project, section, ...members } = parse?.draft ?? {}
  const data = {
    ...members,
    title: parse?.title ?? text.trim(),
    ...(project && { project_id: project.id }),
    ...(section && { section_id: section.id }),
  } as Extract<Extract<Write, { type: 'task' }>['op'], { op: 'create' }>['data']
  actWithUndo(
    workspace,
    `Added “${data.title}”.`,
    [{ type: 'task', op: { op: 'create', id, data } }],
    [{ type: 'task', op: { op: 'delete', id } }],
  )
  return null
}

async function addCard(workspace: Workspace, text: string): Promise<string | null> {
  const sides = cardSides(text)
  if (!sides) return 'Write the question, two colons and the answer: Capital of Peru :: Lima'
  const deck = await deckForCards(workspace)
  await workspace.api.call({
    method: 'POST',
    path: 'api/flashcards/facts',
    body: { type: 'basic', deck_id: deck.id, ...sides },
    headers: { 'Idempotency-Key': newId() },
  })
  notify(`Added a card to “${deck.name}”.`)
  return null
}

/** The oldest deck; one is made where there is none. */
async function deckForCards({ api, copy }: Workspace): Promise<Pick<Deck, 'id' | 'name'>> {
  const [oldest] = [...copy.shown.deck.value.values()].sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
  if (oldest) return oldest
  const body = { name: 'Cards' }
  return api.call<Deck>({ method: 'POST', path: 'api/flashcards/decks', body, headers: { 'Idempotency-Key': newId() } })
}
