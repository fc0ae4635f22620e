/** Makes a deck, or changes the name and the place of one. */
import { useState } from 'preact/hooks'
import type { Deck } from '../api/types'
import { newId } from '../data/ids'
import { useWorkspace } from '../data/use-workspace'
import { Button, Fault } from '../shell/controls'
import { Dialog } from '../shell/Dialog'
import { say } from '../words/say'
import { listDecks, withSubdecks } from './deck-tree'
import { Form, useSubmit } from './forms'

interface Props {
  /** Null: a new one. */
  readonly deck: Deck | null
  readonly onClose: () => void
  readonly onMade?: (deck: Deck) => void
}

export function DeckDialog({ deck, onClose, onMade }: Props) {
  const { api, copy } = useWorkspace()
  const [name, setName] = useState(deck?.name ?? '')
  const [parent, setParent] = useState(deck?.parent_id ?? '')
  const decks = copy.shown.deck.value
  const own = deck ? withSubdecks(decks.values(), deck.id) : new Set<string>()
  const places = listDecks(decks.values()).filter((place) => !own.has(place.deck.id))
  const label = deck ? say`Change the deck` : say`New deck`
  const isNamed = name.trim() !== ''
  const { fault, isBusy, submit } = useSubmit(async () => {
    const body = { name: name.trim(), parent_id: parent === '' ? null : parent }
    const saved = deck
      ? await api.call<Deck>({ method: 'PATCH', path: `api/flashcards/decks/${deck.id}`, body })
      : await api.call<Deck>({ method: 'POST', path: 'api/flashcards/decks', body: { id: newId(), ...body } })
    await copy.confirm([{ type: 'deck', id: saved.id, resource: saved }])
    onMade?.(saved)
    onClose()
  })
  return (
    <Dialog label={label} class="study-dialog" onClose={onClose}>
      <h2>{label}</h2>
      <Form submit={() => isNamed && submit()}>
        <label class="labelled">
          <span>{say`Name`}</span>
          <input value={name} dir="auto" maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label class="labelled">
          <span>{say`Within`}</span>
          <select value={parent} onChange={(event) => setParent(event.currentTarget.value)}>
            <option value="">{say`No other deck`}</option>
            {places.map((place) => (
              <option key={place.deck.id} value={place.deck.id}>
                {place.path}
              </option>
            ))}
          </select>
        </label>
        <Fault of={fault} />
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy || !isNamed}>
            {deck ? say`Save` : say`Make the deck`}
          </button>
          <Button run={onClose}>{say`Cancel`}</Button>
        </div>
      </Form>
    </Dialog>
  )
}
