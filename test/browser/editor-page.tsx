/** A page with the editor alone, and what its tests give and read. */
import { signal } from '@preact/signals'
import { render } from 'preact'
import { Editor, type EditorHandle } from '../../app/editor/Editor'

const text = signal('')
const isShown = signal(true)
const label = signal('Text of the note')
/** A file that waits, and what settles it. */
interface Waiting {
  readonly names: readonly string[]
  readonly store: (markdown: string) => void
  readonly fail: () => void
}
const page = {
  text,
  label,
  isShown,
  /** Whether the owner gives back what the editor reports. */
  gives: true,
  reports: [] as string[],
  waiting: [] as Waiting[],
  handle: { current: null as EditorHandle | null },
}
export type EditorPage = typeof page

const TITLES = [
  'Zürich in spring',
  'Zoo',
  'Shopping',
  'Cannot [be] linked',
  ...Array.from({ length: 20 }, (_, i) => `Day ${i}`),
]

function Page() {
  if (!isShown.value) return null
  return (
    <Editor
      text={text.value}
      label={label.value}
      handle={page.handle}
      onChange={(next) => {
        page.reports.push(next)
        if (page.gives) text.value = next
      }}
      completions={(query) =>
        TITLES.filter((title) => title.toLowerCase().includes(query.toLowerCase())).map((title) => ({ title }))
      }
      onPasteFiles={(files) => {
        const { promise, resolve, reject } = Promise.withResolvers<string>()
        const names = files.map(({ name }) => name)
        page.waiting.push({ names, store: resolve, fail: () => reject(new Error('The disk is full.')) })
        return promise
      }}
    />
  )
}

Object.assign(globalThis, { editorPage: page })
const root = document.getElementById('app')
if (root) render(<Page />, root)
