/** A page with the editor alone, and what its tests give and read. */
import { signal } from '@preact/signals'
import { render } from 'preact'
import { Editor, type EditorHandle } from '../../app/editor/Editor'
import { Markdown } from '../../app/markdown/markdown'

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
  /** What CodeMirror holds: of it, marks may not be shown. */
  held: async () => {
    const { EditorView } = await import('@codemirror/view')
    const place = document.querySelector('.editor > div')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')
    return (place && EditorView.findFromDOM(place)?.state.doc.toString()) ?? ''
  },
}
export type EditorPage = typeof page

const TITLES = [
  'Zürich in spring',
  'Zoo',
  'Shopping',
  'Cannot [be] linked',
  ...Array.from({ length: 20 }, (_, i) => `Day ${i}`),
]

const ACTIONS = {
  resolve: () => null,
  loadFile: async () => '',
  tagAddress: () => '',
}

function Page() {
  if (!isShown.value) return null
  return (
    <Editor
      text={text.value}
      label={label.value}
      handle={page.handle}
      startAt={0}
      draw={(markdown) => <Markdown body={markdown} actions={ACTIONS} />}
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
