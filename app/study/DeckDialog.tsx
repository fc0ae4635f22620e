/** Makes a deck, or changes the name and the place of one. */

import { useState } from 'preact/hooks'
import { inWords } from '../api/client'
import type { Deck } from '../api/types'
import { newId } from '../data/ids'
import { useWorkspace } from '../data/use-workspace'
import { Dialog } from '../shell/Dialog'
import { say } from '../words/say'
import { listDecks, withSubdecks } from './deck-tree'

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
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const decks = copy.shown.deck.value
  const own = deck ? withSubdecks(decks.values(), deck.id) : new Set<string>()
  const places = listDecks(decks.values()).filter((place) => !own.has(place.deck.id))
  const label = deck ? say`Change the deck` : say`New deck`
  async function save(event: Event) {
    event.preventDefault()
    if (isBusy || name.trim() === '') return
    setBusy(true)
    const body = { name: name.trim(), parent_id: parent === '' ? null : parent }
    try {
      const saved = deck
        ? await api.call<Deck>({ method: 'PATCH', path: `api/flashcards/decks/${deck.id}`, body })
        : await api.call<Deck>({ method: 'POST', path: 'api/flashcards/decks', body: { id: newId(), ...body } })
      await copy.confirm([{ type: 'deck', id: saved.id, resource: saved }])
      onMade?.(saved)
      onClose()
    } catch (error) {
      setFault(inWords(error))
      setBusy(false)
    }
  }
  return (
    <Dialog label={label} class="study-dialog" onClose={onClose}>
      <h2>{label}</h2>
      <form class="study-form" onSubmit={save}>
        <label class="study-field">
          <span>{say`Name`}</span>
          <input value={name} dir="auto" maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label class="study-field">
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
        <p class="fault" role="alert">
          {fault}
        </p>
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy || name.trim() === ''}>
            {deck ? say`Save` : say`Make the deck`}
          </button>
          <button type="button" onClick={onClose}>
            {say`Cancel`}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
