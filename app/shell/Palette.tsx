/** The palette (Ctrl K): every action, and every note, task, card, project and saved filter, by typing its words. */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { say } from '../words/say'
import { Dialog } from './Dialog'
import type { Finder } from './Finder'
import type { Entry } from './find'

const isOpen = signal(false)
export const openPalette = () => {
  isOpen.value = true
}

export function PaletteDialog() {
  if (!isOpen.value) return null
  return (
    <Dialog label={say`Find or do`} class="palette" onClose={() => (isOpen.value = false)}>
      <Palette close={() => (isOpen.value = false)} />
    </Dialog>
  )
}

interface Shown {
  readonly found: readonly Entry[]
  readonly isDone: boolean
  /** The text that was sought. */
  readonly of: string | null
}

let finder: { readonly Finder: typeof Finder } | null = null
async function load() {
  finder ??= await import('./Finder')
  return finder
}

function Palette({ close }: { close: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [{ found, isDone, of }, setFound] = useState<Shown>({ found: [], isDone: false, of: null })
  const [loaded, setLoaded] = useState(finder)
  const [hasFailed, setFailed] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  /** Whether Enter was pressed before the text was sought. */
  const isAwaited = useRef(false)
  useEffect(() => {
    load().then(setLoaded, () => setFailed(true))
  }, [])
  const place = Math.min(at, found.length - 1)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [place])
  const run = (action: Entry | undefined) => {
    if (!action) return
    // Closed first, so that the focus is back where it was: what is run may be for what has it, or take it elsewhere.
    list.current?.closest('dialog')?.close()
    close()
    action.run()
  }
  const show = (found: readonly Entry[], isDone: boolean) => {
    setFound({ found, isDone, of: text })
    if (!isAwaited.current || (found.length === 0 && !isDone)) return
    isAwaited.current = false
    run(found[0])
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setAt((place + step + found.length) % Math.max(1, found.length))
    else if (event.key === 'Enter' && !event.isComposing) {
      // If the typing is ahead of the search, its first result is taken when it comes.
      if (of === text && (found.length > 0 || isDone)) run(found[place])
      else isAwaited.current = true
    } else return
    event.preventDefault()
  }
  return (
    <>
      {loaded && <loaded.Finder text={text} onFound={show} />}
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${place}` : undefined}
        aria-label={say`Find or do`}
        placeholder={say`Find a note, task or card, or do something`}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
          isAwaited.current = false
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label={say`Found`} ref={list}>
        {found.map((action, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys of the list
          <div
            key={`${index} ${action.title}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === place}
            onClick={() => run(action)}
          >
            <span dir="auto">{action.title}</span>
            {action.detail && <small class="quiet">{action.detail}</small>}
            {action.keys && <kbd>{action.keys}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 && isDone && <p class="quiet">{say`No results.`}</p>}
      {hasFailed && <p class="quiet">{say`The search could not be loaded. Try it again with a network.`}</p>}
    </>
  )
}
