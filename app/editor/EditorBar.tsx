/** The bar above the keyboard of a phone, with what that keyboard lacks. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { say } from '../words/say'
import type { Controller } from './controller'
import { indentBlock, markLines } from './lists'
import { makeLink } from './markdown'

/** A button: its name, its picture in strokes on a grid of 24, and what it does. */
type Button = readonly [name: string, strokes: string, run: (controller: Controller) => void]

const BUTTONS: readonly Button[] = [
  [say`Check box`, 'M5 5h14v14H5zM9 12l2.5 2.5L16 10', (to) => to.apply((...at) => markLines(...at, 'box'))],
  [
    say`List`,
    'M5 7h.01M5 12h.01M5 17h.01M9 7h10M9 12h10M9 17h10',
    (to) => to.apply((...at) => markLines(...at, 'list')),
  ],
  [say`Outdent`, 'M4 6h16M11 12h9M4 18h16M8 9l-4 3l4 3', (to) => to.apply((...at) => indentBlock(...at, -1))],
  [say`Indent`, 'M4 6h16M12 12h8M4 18h16M4 9l4 3l-4 3', (to) => to.apply((...at) => indentBlock(...at, 1))],
  [say`Heading`, 'M7 5v14M17 5v14M7 12h10', (to) => to.apply((...at) => markLines(...at, 'heading'))],
  [say`Link`, 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1', beginLink],
]
const PICTURE = 'M4 5h16v14H4zM4 16l5-5l5 5l2-2l4 4M15 9h.01'
const UNDO = 'M9 7H15a5 5 0 0 1 0 10H8M9 7l3-3M9 7l3 3'

/** Without words to link it begins the title of a note, which is completed. */
function beginLink(controller: Controller): void {
  const { from, to } = controller.surface.readSelection()
  if (from === to) controller.insert('[[')
  else controller.apply(makeLink)
}

export function EditorBar({ controller }: { controller: Controller }) {
  const bar = useRef<HTMLDivElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const view = window.visualViewport
    if (!view) return
    // A keyboard that lies over the page makes what one sees of it smaller, not the page.
    const place = () => {
      const hidden = document.documentElement.clientHeight - view.height - view.offsetTop
      bar.current?.style.setProperty('bottom', `${Math.max(0, hidden)}px`)
    }
    const ended = new AbortController()
    for (const type of ['resize', 'scroll']) view.addEventListener(type, place, { signal: ended.signal })
    place()
    return () => ended.abort()
  }, [])
  const buttons: readonly Button[] = [
    ...BUTTONS,
    [say`Picture`, PICTURE, () => picker.current?.click()],
    [say`Undo`, UNDO, () => controller.surface.undo()],
  ]
  return (
    <div class="editor-bar" role="toolbar" aria-label={say`Formatting`} ref={bar}>
      {buttons.map(([name, strokes, run]) => (
        <button
          key={name}
          type="button"
          aria-label={name}
          // The focus, and with it the keyboard, stays in the text.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => run(controller)}
        >
          <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
            <path d={strokes} />
          </svg>
        </button>
      ))}
      <input
        ref={picker}
        hidden
        type="file"
        accept="image/*"
        multiple
        onChange={({ currentTarget }) => {
          controller.insertFiles([...(currentTarget.files ?? [])], false)
          currentTarget.value = ''
        }}
      />
    </div>
  )
}
