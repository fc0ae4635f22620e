/** The box that makes a task, a note or a card of one line, and marks what it has understood while it is typed. */
import { signal } from '@preact/signals'
import { useRef, useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { Deck } from '../api/types'
import { draftOf } from '../data/drafts'
import { useWorkspace } from '../data/use-workspace'
import { Fault } from '../shell/controls'
import { Dialog } from '../shell/Dialog'
import { route } from '../shell/route'
import { say } from '../words/say'
import { addCard, addNote, addTask, cardSides, deckForCards, KINDS, type Kind, rememberDeck } from './add'
import { MarkedInput } from './MarkedInput'
import { useReading } from './use-reading'

/** What was typed and not added: it comes back when the box is opened again. */
const draft = draftOf('satchel.quick_add.text ')

/** The text that the box was opened with, and the draft of before; null: it is closed. */
const opened = signal<{ readonly start: string; readonly before: string } | null>(null)

/** Opens the box. What was typed before and not added comes back behind `text`. */
export const openQuickAdd = (text = '') => {
  const before = draft.text.peek()
  const start = before.startsWith(text) ? before : `${text}${before}`
  draft.change(start)
  opened.value = { start, before }
}

function close(): void {
  const { start, before } = opened.peek() ?? {}
  // What nobody has typed is no draft.
  if (before !== undefined && draft.text.peek() === start) draft.change(before)
  opened.value = null
}

export function QuickAddDialog() {
  if (opened.value === null) return null
  return (
    <Dialog label={say`Quick add`} class="quick-add" onClose={close}>
      <QuickAddForm />
    </Dialog>
  )
}

/** The project that is open: tasks that name none go there. */
function openProject(): string | null {
  const { screen, parts } = route.value
  return screen === 'tasks' && parts[0] === 'project' ? (parts[1] ?? null) : null
}

function QuickAddForm() {
  const workspace = useWorkspace()
  const text = draft.text.value
  const [chosen, setChosen] = useState<Kind>('task')
  const [fault, setFault] = useState('')
  const form = useRef<HTMLFormElement>(null)
  const isBusy = useRef(false)
  const kind = cardSides(text) ? 'card' : chosen
  const project = workspace.copy.shown.task_project.value.get(openProject() ?? '')
  const reading = useReading(text, kind === 'task', project?.id ?? null)

  async function attempt(work: () => Promise<unknown>) {
    if (isBusy.current) return
    isBusy.current = true
    setFault('')
    try {
      await work()
    } catch (error) {
      setFault(inWords(error))
    }
    isBusy.current = false
    form.current?.querySelector('textarea')?.focus()
  }
  async function add() {
    if (text.trim() === '') return
    const problem = await make()
    setFault(problem)
    if (problem !== '') return
    // What was typed meanwhile stays.
    const now = draft.text.peek()
    if (now.startsWith(text)) draft.change(now.slice(text.length))
  }
  async function make(): Promise<string> {
    if (kind === 'card') return addCard(workspace, text, deckForCards(workspace))
    if (kind === 'task') return addTask(workspace, text, await reading.read(text), project?.id ?? null)
    addNote(workspace, text)
    return ''
  }

  const unread = reading.failed && kind === 'task' ? say`Dates cannot be read now: the server cannot be reached.` : ''
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        attempt(add)
      }}
    >
      <Kinds kind={kind} choose={setChosen} />
      <MarkedInput text={text} spans={reading.parse?.spans ?? []} setText={draft.change} kind={kind} />
      {reading.Understood && reading.parse && (
        <reading.Understood
          parse={reading.parse}
          text={text}
          setText={draft.change}
          projectId={project?.id ?? null}
          attempt={attempt}
        />
      )}
      {kind === 'card' && <DeckChoice />}
      <Fault of={fault || unread} />
      <div class="row">
        <button class="primary" type="submit" aria-disabled={text.trim() === ''}>
          {KINDS[kind].add}
        </button>
        <span class="fine" id="quick-add-hint">
          {kind === 'task' && project && !reading.parse?.draft.project ? say`Goes to ${project.name}.` : ''}{' '}
          {KINDS[kind].hint}
        </span>
      </div>
    </form>
  )
}

function Kinds({ kind, choose }: { kind: Kind; choose: (kind: Kind) => void }) {
  return (
    <fieldset class="segments">
      <legend class="unseen">{say`What to add`}</legend>
      {(['task', 'note', 'card'] as const).map((each) => (
        <label key={each}>
          <input type="radio" name="kind" checked={kind === each} onChange={() => choose(each)} />
          <span>{KINDS[each].name}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** The deck of the card: the one of the last card, until another is chosen. */
function DeckChoice() {
  const workspace = useWorkspace()
  const [chosen, setChosen] = useState<Deck | null>(null)
  const decks = [...workspace.copy.shown.deck.value.values()].sort((a, b) => a.name.localeCompare(b.name))
  if (decks.length === 0) return <p class="fine">{say`It goes to a new deck, “Cards”.`}</p>
  return (
    <label class="row">
      {say`Deck`}
      <select
        value={(chosen ?? deckForCards(workspace))?.id}
        onChange={(event) => {
          const deck = decks.find(({ id }) => id === event.currentTarget.value)
          if (!deck) return
          rememberDeck(deck.id)
          setChosen(deck)
        }}
      >
        {decks.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
