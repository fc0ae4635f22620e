/** Study: the decks, the cards one by one, the cards of a deck, statistics, and cards from a note. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { route } from '../shell/route'
import { DeckCards } from './DeckCards'
import { Decks } from './Decks'
import { Drafts } from './Drafts'
import { Statistics } from './Statistics'
import { Studying } from './Studying'

export function Screen() {
  const { parts } = route.value
  const address = parts.join('/')
  const first = useRef(true)
  useLayoutEffect(() => {
    // The frame gives the focus to the first of them.
    if (!first.current) document.querySelector<HTMLElement>('main h1')?.focus()
    first.current = false
  }, [address])
  const [kind, id] = parts
  if (kind === undefined) return <Decks />
  if (kind === 'go') return <Studying key="all" deckId={null} />
  if (kind === 'statistics') return <Statistics />
  if (kind === 'deck' && id !== undefined) return <DeckCards key={id} deckId={id} />
  if (kind === 'from-note' && id !== undefined) return <Drafts key={id} noteId={id} />
  if (id === 'go') return <Studying key={kind} deckId={kind} />
  return <Decks />
}
