/** The cards of a deck: found by words, added, edited, suspended and deleted. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Card, CreatedFact } from '../api/types'
import { today } from '../data/clock'
import { valueDraftOf } from '../data/drafts'
import { newId } from '../data/ids'
import { useWorkspace } from '../data/use-workspace'
import { actWithUndo, tellFailure } from '../shell/act'
import { type Action, useActions } from '../shell/actions'
import { Button, Fault, Header } from '../shell/controls'
import { addressOf, go, route } from '../shell/route'
import { useAnswer } from '../shell/use-answer'
import { dateInWords } from '../tasks/dates'
import { say } from '../words/say'
import { CardLine, lineInWords, readLine } from './card-line'
import { EditFact } from './FactDialog'
import { FactForm, isComplete, NO_FIELDS, toContent } from './FactForm'
import { Flag } from './Flag'
import { Form, useSubmit } from './forms'
import { Loading } from './Loading'

const PAGE_CARDS = 50
/** A search is asked so long after the last key stroke. */
const TYPING_MS = 350

interface Page {
  readonly items: readonly Card[]
  readonly next_cursor: string | null
}
const NONE: Page = { items: [], next_cursor: null }

export function DeckCards({ deckId }: { deckId: string }) {
  const { copy } = useWorkspace()
  const deck = copy.shown.deck.value.get(deckId)
  const cards = useCards(deckId)
  const [edited, setEdited] = useState<string | null>(null)
  // The address of a card that was found anywhere names its fact.
  const asked = route.value.query.get('fact')
  useEffect(() => setEdited(asked), [asked])
  const close = () => {
    setEdited(null)
    if (asked !== null) go(addressOf('study', ['deck', deckId]), { replace: true })
  }
  const search = useRef<HTMLInputElement>(null)
  const actions = useMemo<readonly Action[]>(
    () => [{ title: say`Find a card`, keys: '/', run: () => search.current?.focus() }],
    [],
  )
  useActions(actions)
  return (
    <div class="column">
      <Header title={deck?.name ?? say`Cards`}>
        <span class="row fine">
          <a href={addressOf('study', [deckId, 'go'])}>{say`Study`}</a>
          <a href={addressOf('study')}>{say`All decks`}</a>
        </span>
      </Header>
      <AddCard deckId={deckId} onAdded={cards.add} />
      <section aria-labelledby="cards">
        <div class="section-header">
          <h2 id="cards">{say`Cards`}</h2>
        </div>
        <input
          ref={search}
          type="search"
          aria-label={say`Find a card`}
          placeholder={say`Find: words, tag:verb, is:suspended, lapses>3`}
          value={cards.sought}
          onInput={(event) => cards.find(event.currentTarget.value)}
        />
        <CardList cards={cards} edit={({ fact_id }) => setEdited(fact_id)} />
      </section>
      {edited && <EditFact factId={edited} onClose={close} onSaved={cards.again} />}
    </div>
  )
}

function CardList({ cards, edit }: { cards: ReturnType<typeof useCards>; edit: (card: Card) => void }) {
  return (
    <Loading of={cards}>
      {({ items }) => (
        <>
          <ul class="study-cards">
            {items.map((card) => (
              <CardRow key={card.id} card={card} edit={() => edit(card)} change={cards.change} reload={cards.again} />
            ))}
          </ul>
          {items.length === 0 && (
            <p class="quiet">
              {cards.sought.trim() === ''
                ? say`This deck is empty: add its first card above.`
                : say`No card has these words.`}
            </p>
          )}
          {cards.more && <Button run={cards.more}>{say`Show more`}</Button>}
        </>
      )}
    </Loading>
  )
}

/** The cards of a deck page by page, as they are sought. */
function useCards(deckId: string) {
  const { api } = useWorkspace()
  const [sought, find] = useState('')
  function list(cursor?: string, signal?: AbortSignal): Promise<Page> {
    const query = { deck_id: deckId, limit: PAGE_CARDS, cursor, q: sought.trim() || undefined }
    return api.call<Page>({ path: 'api/flashcards/cards', query, ...(signal && { signal }) })
  }
  const { answer, again, set } = useAnswer(async (signal) => {
    if (sought !== '') await new Promise((rest) => setTimeout(rest, TYPING_MS))
    return list(undefined, signal)
  }, sought)
  const latest = useRef(answer)
  latest.current = answer
  const shown = () => (latest.current.is === 'done' ? latest.current.value : NONE)
  const { next_cursor } = shown()
  async function addPage(cursor: string): Promise<void> {
    const next = await list(cursor)
    if (shown().next_cursor === cursor) set({ ...next, items: [...shown().items, ...next.items] })
  }
  return {
    answer,
    again,
    sought,
    find,
    more: next_cursor === null ? null : () => tellFailure(addPage(next_cursor)),
    add: (added: readonly Card[]) => set({ ...shown(), items: [...added, ...shown().items] }),
    change: (card: Card) => set({ ...shown(), items: shown().items.map((one) => (one.id === card.id ? card : one)) }),
  }
}

/** Adds card after card: the kind and the deck stay, the fields are empty again. */
function AddCard({ deckId, onAdded }: { deckId: string; onAdded: (cards: readonly Card[]) => void }) {
  const { api } = useWorkspace()
  const draft = valueDraftOf(`satchel.new_card ${deckId} `, NO_FIELDS)
  const fields = draft.read()
  const isBegun = fields !== NO_FIELDS
  const details = useRef<HTMLDetailsElement>(null)
  const focus = () => details.current?.querySelector('textarea')?.focus()
  const actions = useMemo<readonly Action[]>(
    () => [
      {
        title: say`Add a card to this deck`,
        keys: 'n',
        run() {
          if (details.current) details.current.open = true
          focus()
        },
      },
    ],
    [],
  )
  useActions(actions)
  useEffect(() => {
    if (isBegun && details.current) details.current.open = true
  }, [isBegun])
  const { fault, isBusy, submit } = useSubmit(async () => {
    const { cards } = await api.call<CreatedFact>({
      method: 'POST',
      path: 'api/flashcards/facts',
      query: { on_duplicate: 'error' },
      body: { id: newId(), deck_id: deckId, ...toContent(fields) },
    })
    onAdded(cards)
    draft.change({ ...NO_FIELDS, type: fields.type })
    focus()
  })
  return (
    <details class="study-add" ref={details}>
      <summary>
        {say`Add cards`} <kbd>n</kbd>
      </summary>
      <Form submit={() => isComplete(fields) && submit()}>
        <FactForm value={fields} onChange={draft.change} id="add" isBusy={isBusy} />
        <Fault of={fault} />
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy || !isComplete(fields)}>
            {say`Add the card`}
          </button>
          <span class="fine">
            <kbd>{say`Ctrl Enter`}</kbd>
          </span>
        </div>
      </Form>
    </details>
  )
}

interface RowProps {
  readonly card: Card
  readonly edit: () => void
  readonly change: (card: Card) => void
  readonly reload: () => void
}

function CardRow({ card, edit, change, reload }: RowProps) {
  const workspace = useWorkspace()
  const { api } = workspace
  const line = readLine(card.prompt)
  const prompt = lineInWords(line)
  async function suspend(): Promise<void> {
    const body = { suspended: !card.suspended }
    change(await api.call<Card>({ method: 'PATCH', path: `api/flashcards/cards/${card.id}`, body }))
  }
  async function trash(): Promise<void> {
    const path = `api/flashcards/facts/${card.fact_id}`
    await api.call({ method: 'DELETE', path })
    reload()
    const restore = () => api.call({ method: 'POST', path: `${path}/restore` }).then(reload)
    actWithUndo(workspace, say`The card is in the trash.`, [], restore)
  }
  return (
    <li class={card.suspended ? 'study-suspended' : undefined}>
      <p class="study-sides">
        <bdi>{prompt === '' ? say`(a picture)` : <CardLine line={line} />}</bdi>
        <bdi class="quiet">
          <CardLine line={readLine(card.answer)} />
        </bdi>
      </p>
      <p class="study-card-tools fine">
        <Flag flag={card.flag} />
        <span class="quiet">{stateInWords(card)}</span>
        <button type="button" class="link" aria-label={say`Edit ${prompt}`} onClick={edit}>
          {say`Edit`}
        </button>
        <button
          type="button"
          class="link"
          aria-label={card.suspended ? say`Unsuspend ${prompt}` : say`Suspend ${prompt}`}
          onClick={() => tellFailure(suspend())}
        >
          {card.suspended ? say`Unsuspend` : say`Suspend`}
        </button>
        <button type="button" class="link" aria-label={say`Delete ${prompt}`} onClick={() => tellFailure(trash())}>
          {say`Delete`}
        </button>
      </p>
    </li>
  )
}

function stateInWords({ suspended, state, due_day, leech }: Card): string {
  const words = suspended
    ? say`Suspended`
    : state === 'new' || due_day === null
      ? say`New{# card}`
      : state === 'review'
        ? say`Due ${dateInWords(due_day, today.value)}`
        : say`Learning`
  return leech ? say`${words}, forgotten often` : words
}
