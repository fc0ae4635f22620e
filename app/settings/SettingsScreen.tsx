/** Settings: the keys of this browser, the workspace, and what goes in and out of it. */
import type { ComponentType } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { useWorkspace } from '../data/use-workspace'
import { addressOf, go, route } from '../shell/route'
import { say } from '../words/say'
import { Export } from './Export'
import { Feeds } from './Feeds'
import { Import } from './Import'
import { Keys } from './Keys'
import { TrashPart } from './Trash'
import { transfersOf } from './transfers'
import { WorkspacePart } from './WorkspacePart'

interface Part {
  readonly name: string
  readonly title: string
  readonly Show: ComponentType
}

const KEYS: Part = { name: '', title: say`Keys`, Show: Keys }
const PARTS: readonly Part[] = [
  KEYS,
  { name: 'workspace', title: say`Workspace`, Show: WorkspacePart },
  { name: 'import', title: say`Import`, Show: Import },
  { name: 'export', title: say`Export`, Show: Export },
  { name: 'calendars', title: say`Calendars`, Show: Feeds },
  { name: 'trash', title: say`Trash`, Show: TrashPart },
]

export function Screen() {
  const isDragged = useDroppedFiles()
  const [name = ''] = route.value.parts
  const part = PARTS.find((each) => each.name === name) ?? KEYS
  return (
    <div class={`column settings${isDragged ? ' dragged' : ''}`}>
      <header class="screen-header">
        <h1 tabIndex={-1}>{say`Settings`}</h1>
      </header>
      <nav class="settings-parts" aria-label={say`Settings`}>
        <ul>
          {PARTS.map(({ name, title }) => (
            <li key={name}>
              <a
                href={addressOf('settings', name === '' ? [] : [name])}
                aria-current={name === part.name ? 'page' : undefined}
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {isDragged && (
        <p class="drop-here" aria-hidden="true">
          {say`Drop files to import them`}
        </p>
      )}
      <part.Show key={part.name} />
    </div>
  )
}

/** Imports files that are dropped anywhere while the screen is open. Returns whether some are held over the page. */
function useDroppedFiles(): boolean {
  const workspace = useWorkspace()
  const [isDragged, setDragged] = useState(false)
  // With the first paint: what is dropped as soon as the screen is seen is taken.
  useLayoutEffect(() => {
    const end = new AbortController()
    const { signal } = end
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    document.addEventListener(
      'dragover',
      (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setDragged(true)
      },
      { signal },
    )
    document.addEventListener('dragleave', (event) => event.relatedTarget === null && setDragged(false), { signal })
    document.addEventListener(
      'drop',
      (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setDragged(false)
        const files = [...(event.dataTransfer?.files ?? [])]
        go(addressOf('settings', ['import']))
        void transfersOf(workspace).importer.plan(files)
      },
      { signal },
    )
    return () => end.abort()
  }, [workspace])
  return isDragged
}
