/** The palette (Ctrl K): every action and every note, project and saved filter, by typing a part of its name. */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useWorkspace } from '../data/use-workspace'
import type { Workspace } from '../data/workspace'
import { type Action, actions } from './actions'
import { Dialog } from './Dialog'
import { addressOf, go } from './route'

const MAX_SHOWN = 12

const isOpen = signal(false)
export const openPalette = () => {
  isOpen.value = true
}

export function PaletteDialog() {
  if (!isOpen.value) return null
  return (
    <Dialog label="Find or do" class="palette" onClose={() => (isOpen.value = false)}>
      <Palette close={() => (isOpen.value = false)} />
    </Dialog>
  )
}

function Palette({ close }: { close: () => void }) {
  const workspace = useWorkspace()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const found = find(text, workspace)
  const place = Math.min(at, found.length - 1)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [place])
  const run = (action: Action | undefined) => {
    if (!action) return
    // Closed first, so that the focus is back where it was: what is run may be for what has it, or take it elsewhere.
    list.current?.closest('dialog')?.close()
    close()
    action.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setAt((place + step + found.length) % Math.max(1, found.length))
    else if (event.key === 'Enter' && !event.isComposing) run(found[place])
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${place}` : undefined}
        aria-label="Find or do"
        placeholder="Find a note, go somewhere, do something"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label="Found" ref={list}>
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
            {action.keys && <kbd>{action.keys}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="quiet">Nothing is called so.</p>}
    </>
  )
}

/** What fits best first: a beginning, then the beginning of a word, then any place. */
function find(text: string, workspace: Workspace): Action[] {
  const sought = text.trim().toLowerCase()
  if (sought === '') return actions.value.slice(0, MAX_SHOWN)
  const { note, task_project, task_filter } = workspace.copy.shown
  const link = (title: string, address: string): Action => ({ title, run: () => go(address) })
  const all = [
    ...actions.value,
    ...[...task_project.value.values()].map(({ id, name }) => link(name, addressOf('tasks', ['project', id]))),
    ...[...task_filter.value.values()].map(({ id, name }) => link(name, addressOf('tasks', ['filter', id]))),
    ...[...note.value.values()].map(({ id, title }) => link(title, addressOf('notes', [id]))),
  ]
  const ranked = all.flatMap((action) => {
    const rank = rankOf(action.title.toLowerCase(), sought)
    return rank === null ? [] : [{ action, rank }]
  })
  ranked.sort((a, b) => a.rank - b.rank)
  return ranked.slice(0, MAX_SHOWN).map(({ action }) => action)
}

function rankOf(title: string, sought: string): number | null {
  const at = title.indexOf(sought)
  if (at === 0) return 0
  if (at > 0) return /[\p{L}\p{N}]/u.test(title.charAt(at - 1)) ? 2 : 1
  return sought.split(/\s+/).every((word) => title.includes(word)) ? 3 : null
}
