/** The decks with what is due in them, and what was done today. */
import { useMemo, useState } from 'preact/hooks'
import type { Deck, DeckPage, StudyStatistics, StudyToday } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { actWithUndo, tellFailure } from '../shell/act'
import { type Action, useActions } from '../shell/actions'
import { Act, Button, Header } from '../shell/controls'
import { Failure } from '../shell/Failure'
import { addressOf, go } from '../shell/route'
import { useAnswer } from '../shell/use-answer'
import { say, sayWith } from '../words/say'
import { DeckDialog } from './DeckDialog'
import { type ListedDeck, listDecks, withSubdecks } from './deck-tree'
import { studyTimeInWords } from './intervals'
import { type KeptLeft, useKept } from './use-kept-left'

type Counts = NonNullable<DeckPage['items'][number]['counts']>

export function Decks() {
  const workspace = useWorkspace()
  const decks = workspace.copy.shown.deck.value
  const listed = useMemo(() => listDecks(decks.values()), [decks])
  const { answer, again } = useAnswer((signal) =>
    Promise.all([
      workspace.api.call<DeckPage>({ path: 'api/flashcards/decks', query: { counts: true, limit: 200 }, signal }),
      workspace.api.call<StudyStatistics>({ path: 'api/flashcards/stats', query: { parts: 'today' }, signal }),
    ]),
  )
  const [page, statistics] = answer.is === 'done' ? answer.value : []
  const kept = useKept(answer.is === 'done' ? 'there' : answer.is)
  const [edited, setEdited] = useState<Deck | 'new' | null>(null)
  const actions = useMemo<readonly Action[]>(
    () => [
      { title: say`Study all decks`, keys: 's', run: () => go(addressOf('study', ['go'])) },
      { title: say`Make a deck`, keys: 'n', run: () => setEdited('new') },
      { title: say`Show statistics`, keys: 'i', run: () => go(addressOf('study', ['statistics'])) },
    ],
    [],
  )
  useActions(actions)
  const counts = useMemo(() => new Map(page?.items.map((deck) => [deck.id, deck.counts])), [page])
  return (
    <div class="column">
      <Header title={say`Study`}>
        <a href={addressOf('study', ['statistics'])}>{say`Statistics`}</a>
      </Header>
      {answer.is === 'failed' && <Failure message={unaskedInWords(answer.message, kept)} again={again} />}
      {listed.length > 0 && (answer.is !== 'failed' || kept) && <Today today={statistics?.today ?? null} kept={kept} />}
      <section aria-labelledby="decks">
        <div class="section-header">
          <h2 id="decks">{say`Decks`}</h2>
          <Act run={() => setEdited('new')}>{say`New deck`}</Act>
        </div>
        {listed.length > 0 ? (
          <ul class="study-decks">
            {listed.map((entry) => (
              <DeckRow key={entry.deck.id} entry={entry} counts={counts.get(entry.deck.id)} edit={setEdited} />
            ))}
          </ul>
        ) : (
          <Empty unread={workspace.sync.unread.value} make={() => setEdited('new')} />
        )}
      </section>
      {edited !== null && <DeckDialog deck={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </div>
  )
}

function Empty({ unread, make }: { unread: string | null; make: () => void }) {
  if (unread !== null) return <p class="quiet">{unread}</p>
  return (
    <div class="study-empty">
      <p class="quiet">
        {sayWith`There are no cards yet. Make a deck and add some, or type ${<kbd>{say`front :: back`}</kbd>} into quick add. Any note can become cards, too: open it, and choose “Make cards from this note” in the palette.`}
      </p>
      <Button run={make}>{say`Make a deck`}</Button>
    </div>
  )
}

/** Why it is not known what is due, and what can be studied all the same. */
function unaskedInWords(message: string, kept: KeptLeft | null): string {
  const why = say`What is due could not be asked: ${message}`
  return kept ? `${why} ${keptInWords(kept)}` : why
}

function keptInWords({ left, isOfToday }: KeptLeft): string {
  if (isOfToday) return say`What was kept of today can be studied: your answers are sent later.`
  if (left === 0) return say`The cards of today need the network.`
  return say`What is left of an earlier day can be studied: your answers are sent later. The cards of today need the network.`
}

function Today({ today, kept }: { today: StudyToday | null; kept: KeptLeft | null }) {
  const left = today?.left ?? kept?.left ?? null
  const isEarlier = kept !== null && !kept.isOfToday
  return (
    <section class="study-today" aria-label={say`Today`}>
      <p>
        {left === null && <span class="quiet">{say`Counting …`}</span>}
        {left === 0 && (isEarlier ? say`What was kept is done.` : say`All of today’s cards are done.`)}
        {left !== null &&
          left > 0 &&
          (isEarlier ? say`${left} {card is|cards are} left.` : say`${left} {card is|cards are} left today.`)}
        {today !== null && today.answered > 0 && <span class="quiet"> {answersInWords(today)}</span>}
      </p>
      {left !== 0 && (
        <a class="button primary" href={addressOf('study', ['go'])}>
          {say`Study all decks`}
        </a>
      )}
    </section>
  )
}

function answersInWords({ answered, duration_ms, again }: StudyToday): string {
  const time = studyTimeInWords(duration_ms)
  if (again === 0) return say`${answered} {answer|answers} so far, in ${time}.`
  return say`${answered} {answer|answers} so far, in ${time}, ${again} of them “again”.`
}

interface RowProps {
  readonly entry: ListedDeck
  readonly counts: Counts | undefined
  readonly edit: (deck: Deck) => void
}

function DeckRow({ entry: { deck, level, path }, counts, edit }: RowProps) {
  const workspace = useWorkspace()
  return (
    <li style={{ '--level': level }}>
      <a class="study-deck-name" dir="auto" href={addressOf('study', [deck.id, 'go'])} aria-label={say`Study ${path}`}>
        {deck.name}
      </a>
      <span class="study-counts">
        {counts && (
          <>
            <span class={counts.due_today > 0 ? 'study-due' : 'quiet'}>{say`${counts.due_today} due`}</span>
            <span class="quiet">{say`${counts.new} new`}</span>
          </>
        )}
      </span>
      <span class="study-deck-tools">
        <a class="fine" href={addressOf('study', ['deck', deck.id])} aria-label={say`Cards of ${path}`}>
          {say`Cards`}
        </a>
        <button type="button" class="link fine" aria-label={say`Change ${path}`} onClick={() => edit(deck)}>
          {say`Change`}
        </button>
        <button
          type="button"
          class="link fine"
          aria-label={say`Delete ${path}`}
          onClick={() => tellFailure(trashDeck(workspace, deck))}
        >
          {say`Delete`}
        </button>
      </span>
    </li>
  )
}

/** Moves a deck with its cards to the trash, and offers to bring it back. */
async function trashDeck(workspace: Workspace, deck: Deck): Promise<void> {
  const { api, copy, sync } = workspace
  const path = `api/flashcards/decks/${deck.id}`
  await api.call({ method: 'DELETE', path })
  const gone = withSubdecks(copy.shown.deck.peek().values(), deck.id)
  await copy.confirm([...gone].map((id) => ({ type: 'deck' as const, id, resource: null })))
  const restore = () => api.call({ method: 'POST', path: `${path}/restore` }).then(() => sync.pull())
  actWithUndo(workspace, say`“${deck.name}” and its cards are in the trash.`, [], restore)
}
