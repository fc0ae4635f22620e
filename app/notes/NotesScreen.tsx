/** Notes: the list, or one note, which has the list beside it where there is room. */
import { useEffect, useState } from 'preact/hooks'
import { route } from '../shell/route'
import { NoteList } from './NoteList'
import { NotePage } from './NotePage'

const ROOMY = matchMedia('(min-width: 100rem)')

export function Screen() {
  const [isRoomy, setRoomy] = useState(ROOMY.matches)
  useEffect(() => {
    const end = new AbortController()
    ROOMY.addEventListener('change', () => setRoomy(ROOMY.matches), { signal: end.signal })
    return () => end.abort()
  }, [])
  const id = route.value.parts[0] ?? null
  // The list stays as it is when a note is opened beside it.
  return (
    <div class={id !== null && isRoomy ? 'notes-beside' : undefined}>
      {(id === null || isRoomy) && <NoteList beside={id} />}
      {id !== null && <NotePage id={id} />}
    </div>
  )
}
