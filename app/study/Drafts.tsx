/** Cards from a note: what has the form of a card in it, beside its text, to be taken or left. */
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { BatchFactsOutcome, Note, Drafts as ServerDrafts } from '../api/types'
import { valueDraftOf } from '../data/drafts'
import { newId } from '../data/ids'
import { useWorkspace } from '../data/use-workspace'
import { type Action, useActions } from '../shell/actions'
import { Act, Button, Fault, Header } from '../shell/controls'
import { notify } from '../shell/notice'
import { addressOf, go } from '../shell/route'
import { useAnswer } from '../shell/use-answer'
import { say, sayWith } from '../words/say'
import { DeckDialog } from './DeckDialog'
import { listDecks } from './deck-tree'
import { type Draft, decide, factsOf, nextOpen, outcomeInWords, readDrafts } from './draft-choice'
import { FactForm } from './FactForm'
import { Form, useSubmit } from './forms'
import { Loading } from './Loading'

const MAX_DRAFTS = 200
const CLOZE = '{{c1::Lima}}'

/** What was decided and edited of the drafts of a note, until the cards are made. */
interface Kept {
  readonly drafts: readonly Draft[]
  /** That of the note which they were made from. */
  readonly revision: number
}

const keptOf = (noteId: string) => valueDraftOf<Kept | null>(`satchel.note_cards ${noteId} `, null)

export function Drafts({ noteId }: { noteId: string }) {
  const { api, copy } = useWorkspace()
  const title = copy.shown.note.value.get(noteId)?.title ?? say`A note`
  const body = { note_id: noteId, limit: MAX_DRAFTS }
  const asked = useAnswer((signal) =>
    Promise.all([
      api.call<ServerDrafts>({ method: 'POST', path: 'api/flashcards/drafts', body, signal }),
      api.call<Note>({ path: `api/notes/${noteId}`, signal }),
    ]),
  )
  return (
    <div class="column study-wide">
      <Header title={say`Cards from “${title}”`}>
        <a href={addressOf('notes', [noteId])}>{say`Back to the note`}</a>
      </Header>
      <Loading of={asked}>
        {([found, note]) => (found.drafts.length === 0 ? <Nothing /> : <Choice found={found} note={note} />)}
      </Loading>
    </div>
  )
}

function Nothing() {
  return (
    <div class="study-empty">
      <p>{say`Nothing in this note has the form of a card yet. These have:`}</p>
      <ul class="study-forms">
        <li>{sayWith`${<code>{say`Peru :: Lima`}</code>}, or with three colons to learn it both ways`}</li>
        <li>
          {sayWith`${<code>{say`Q: What is the capital of Peru?`}</code>} and below it ${<code>{say`A: Lima`}</code>}`}
        </li>
        <li>{sayWith`${<code>{say`The capital of Peru is ==Lima==.`}</code>} or ${<code>{CLOZE}</code>}`}</li>
        <li>{say`a heading that is a question, a table of two columns, a definition`}</li>
      </ul>
    </div>
  )
}

function Choice({ found, note }: { found: ServerDrafts; note: Note }) {
  // Signals, since keys may follow one another faster than the page is drawn.
  const read = useMemo(() => readDrafts(found, newId), [found])
  const kept = keptOf(note.id)
  const drafts = useComputed(() => {
    const choice = kept.read()
    return choice?.revision === note.revision ? choice.drafts : read
  })
  const place = useSignal(0)
  const edited = useSignal<number | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const focus = (to: number) => {
    place.value = to
    list.current?.querySelectorAll<HTMLElement>('.study-draft')[to]?.focus()
  }
  const keep = (drafts: readonly Draft[]) => kept.change({ drafts, revision: note.revision })
  const choose = (at: number, choice: 'accepted' | 'rejected') => {
    keep(decide(drafts.value, at, choice))
    edited.value = null
    focus(drafts.value[at]?.choice === 'open' ? at : nextOpen(drafts.value, at))
  }
  const edit = (at: number) => {
    edited.value = at
  }
  const takeAll = () => {
    keep(drafts.value.map(take))
  }
  const actions = useMemo<readonly Action[]>(
    () => [
      { title: say`Take this card`, keys: 'a', run: () => choose(place.value, 'accepted') },
      { title: say`Edit this card`, keys: 'e', run: () => edit(place.value) },
      { title: say`Leave this card out`, keys: 'x', run: () => choose(place.value, 'rejected') },
      { title: say`Next card`, keys: 'j', run: () => focus(Math.min(place.value + 1, drafts.value.length - 1)) },
      { title: say`Card before`, keys: 'k', run: () => focus(Math.max(place.value - 1, 0)) },
      { title: say`Take all open cards`, keys: 'A', run: takeAll },
    ],
    [],
  )
  useActions(actions)
  return (
    <>
      <Finish drafts={drafts.value} noteId={note.id} isCut={found.truncated} takeAll={takeAll} />
      <div class="study-beside">
        <ol class="study-drafts" ref={list} aria-label={say`Drafts`}>
          {drafts.value.map((draft, index) => (
            <DraftRow
              key={draft.id}
              draft={draft}
              isCurrent={index === place.value}
              isEdited={index === edited.value}
              onFocus={() => {
                place.value = index
              }}
              choose={(choice) => choose(index, choice)}
              edit={() => edit(index)}
              change={(fields) => keep(drafts.value.map((one, at) => (at === index ? { ...one, fields } : one)))}
              close={() => {
                edited.value = null
                focus(index)
              }}
            />
          ))}
        </ol>
        <Source body={note.body} line={drafts.value[place.value]?.line ?? 1} />
      </div>
    </>
  )
}

const take = (draft: Draft): Draft => (draft.choice === 'open' ? { ...draft, choice: 'accepted' } : draft)

interface RowProps {
  readonly draft: Draft
  readonly isCurrent: boolean
  readonly isEdited: boolean
  readonly onFocus: () => void
  readonly choose: (choice: 'accepted' | 'rejected') => void
  readonly edit: () => void
  readonly change: (fields: Draft['fields']) => void
  readonly close: () => void
}

function DraftRow({ draft, isCurrent, isEdited, onFocus, choose, edit, change, close }: RowProps) {
  const { fields, line, isDuplicate, choice } = draft
  const front = fields.type === 'cloze' ? fields.text : fields.front
  return (
    <li
      class={`study-draft study-${choice}`}
      tabIndex={-1}
      onFocusIn={onFocus}
      onKeyDown={({ key }) => isEdited && key === 'Escape' && close()}
      aria-current={isCurrent ? 'true' : undefined}
    >
      {isEdited ? (
        <Form submit={close}>
          <FactForm value={fields} onChange={change} id={draft.id} />
          <button type="submit">{say`Done`}</button>
        </Form>
      ) : (
        <p class="study-sides">
          <bdi>{front}</bdi>
          {fields.type !== 'cloze' && <bdi class="quiet">{fields.back}</bdi>}
        </p>
      )}
      <p class="study-card-tools fine">
        <span class="quiet">
          {[
            say`Line ${line}`,
            ...(fields.type === 'reversed' ? [say`both ways`] : []),
            ...(isDuplicate ? [say`you have this card already`] : []),
          ].join(', ')}
        </span>
        <button type="button" class="link" aria-pressed={choice === 'accepted'} onClick={() => choose('accepted')}>
          {choice === 'accepted' ? say`Taken` : say`Take`} <kbd>a</kbd>
        </button>
        <Act run={edit}>
          {say`Edit`} <kbd>e</kbd>
        </Act>
        <button type="button" class="link" aria-pressed={choice === 'rejected'} onClick={() => choose('rejected')}>
          {choice === 'rejected' ? say`Left out` : say`Leave out`} <kbd>x</kbd>
        </button>
      </p>
    </li>
  )
}

interface FinishProps {
  readonly drafts: readonly Draft[]
  readonly noteId: string
  readonly isCut: boolean
  readonly takeAll: () => void
}

/** The deck, and the button that makes what was taken. */
function Finish({ drafts, noteId, isCut, takeAll }: FinishProps) {
  const { api, copy } = useWorkspace()
  const decks = listDecks(copy.shown.deck.value.values())
  const [chosen, setChosen] = useState('')
  const [isNew, setNew] = useState(false)
  const deckId = chosen || (decks[0]?.deck.id ?? '')
  const facts = factsOf(drafts, deckId, noteId)
  const { fault, isBusy, submit } = useSubmit(async () => {
    const outcome = await api.call<BatchFactsOutcome>({
      method: 'POST',
      path: 'api/flashcards/facts/batch',
      body: { on_duplicate: 'skip', items: facts },
    })
    keptOf(noteId).change(null)
    notify(outcomeInWords(outcome), { label: say`Study`, run: () => go(addressOf('study', [deckId, 'go'])) })
    go(addressOf('study', ['deck', deckId]))
  })
  return (
    <section class="study-finish" aria-label={say`Make the cards`}>
      <p class="fine" role="status">
        {say`${facts.length} of ${drafts.length} taken.`} {isCut && say`The note has more than are shown here.`}
      </p>
      <div class="row">
        {decks.length > 0 && (
          <select
            aria-label={say`Into the deck`}
            value={deckId}
            onChange={(event) => setChosen(event.currentTarget.value)}
          >
            {decks.map(({ deck, path }) => (
              <option key={deck.id} value={deck.id}>
                {path}
              </option>
            ))}
          </select>
        )}
        <Button run={() => setNew(true)}>{say`New deck`}</Button>
        <Button run={takeAll}>{say`Take all`}</Button>
        <button type="button" class="primary" disabled={isBusy || facts.length === 0 || deckId === ''} onClick={submit}>
          {say`Make ${facts.length} {card|cards}`}
        </button>
      </div>
      <Fault of={fault} />
      {isNew && <DeckDialog deck={null} onClose={() => setNew(false)} onMade={(deck) => setChosen(deck.id)} />}
    </section>
  )
}

/** The text of the note by lines, with that of the current draft marked. */
function Source({ body, line }: { body: string; line: number }) {
  const box = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => body.split(/\r\n|[\r\n]/), [body])
  useEffect(() => {
    const [place, marked] = [box.current, box.current?.querySelector<HTMLElement>('[aria-current]')]
    if (place && marked) place.scrollTop = marked.offsetTop - place.clientHeight / 3
  }, [line])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard could not scroll it
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls
    <div class="study-source" ref={box} tabIndex={0} role="group" aria-label={say`The text of the note`}>
      <ol>
        {lines.map((text, index) => (
          <li key={index} aria-current={index + 1 === line ? 'true' : undefined} dir="auto">
            {text || '\u00a0'}
          </li>
        ))}
      </ol>
    </div>
  )
}
