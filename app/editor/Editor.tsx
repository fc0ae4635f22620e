import { useSignalEffect } from '@preact/signals'
import { type RefObject, render } from 'preact'
import { useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { findMaths } from '../../src/lib/markdown/maths'
import { readCallout } from '../../src/notes/markdown/extensions'
import type { CodeMirrorSurface, openCodeMirror } from './codemirror'
import { Controller, type Owner } from './controller'
import { EditorBar } from './EditorBar'
import { normalizeLineEnds } from './outside'
import { listId, optionId, SuggestionList } from './SuggestionList'
import type { Suggestions } from './suggestions'
import { createStandIn } from './surface'

/** What the owner of an editor can do with it. */
export interface EditorHandle {
  /** Moves the focus into the text. */
  focus(): void
  insertFiles: Controller['insertFiles']
}

export interface EditorProps extends Owner {
  /**
   * The Markdown. What `onChange` reported may come back, late as well, and changes nothing. Any other text was changed
   * elsewhere, and takes the place of what the editor holds: the owner has merged it with what was reported.
   */
  readonly text: string
  /** What screen readers call the text. */
  readonly label: string
  /** Where the caret is at first. */
  readonly startAt: number
  readonly handle?: RefObject<EditorHandle | null>
}

/**
 * Edits Markdown in CodeMirror. Before it is loaded, or if it cannot be, a textarea takes what is typed, with the caret and the
 * focus; only the undo key does not go back beyond. Each note needs an editor of its own (a `key`): a file that waits when
 * the editor goes is still put into its text, and reported.
 */
export function Editor(props: EditorProps) {
  const { text, label, handle } = props
  const id = useId()
  const latest = useRef(props)
  latest.current = props
  const container = useRef<HTMLDivElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const host = useRef<HTMLDivElement>(null)
  const codeMirror = useRef<CodeMirrorSurface>(null)
  const [isPlain, setPlain] = useState(true)
  const [firstText] = useState(() => normalizeLineEnds(text))
  const [controller] = useState(() => new Controller(firstText, () => latest.current))

  useLayoutEffect(() => {
    if (!container.current || !area.current || !host.current) return
    const [plain, place] = [area.current, host.current]
    let stopListening = controller.listenTo(container.current)
    let isOpen = true
    plain.setSelectionRange(latest.current.startAt, latest.current.startAt)
    controller.surface = createStandIn(plain)
    const replace = (open: typeof openCodeMirror) => {
      if (!isOpen) return
      const rich = open(place, {
        text: plain.value,
        selection: controller.surface.readSelection(),
        attributes: () => attributesOf(id, latest.current.label, controller.suggestions.peek()),
        changed: () => controller.changed(),
        drawing: { findMaths, readCallout, draw: (markdown) => latest.current.draw(markdown) },
      })
      if (controller.surface.hasFocus()) rich.focus()
      controller.surface = rich
      codeMirror.current = rich
      stopListening()
      stopListening = controller.listenTo(rich.root)
      setPlain(false)
      render(<SuggestionList id={id} suggestions={controller.suggestions} />, rich.titles)
    }
    import('./codemirror').then(
      ({ openCodeMirror }) => controller.whenNotComposing(() => replace(openCodeMirror)),
      // As without network: the textarea stays.
      () => {},
    )
    return () => {
      isOpen = false
      stopListening()
      if (!codeMirror.current) return
      render(null, codeMirror.current.titles)
      codeMirror.current.close()
    }
  }, [controller, id])
  useLayoutEffect(() => controller.setText(text), [controller, text])
  useLayoutEffect(() => codeMirror.current?.refresh(), [label])
  useSignalEffect(() => {
    controller.suggestions.value
    codeMirror.current?.refresh()
  })
  useImperativeHandle(handle ?? null, () => ({
    focus: () => controller.surface.focus(),
    insertFiles: (files, isAtEnd) => controller.insertFiles(files, isAtEnd),
  }))

  return (
    <div class="editor" ref={container}>
      <textarea
        ref={area}
        hidden={!isPlain}
        dir="auto"
        defaultValue={firstText}
        onInput={() => controller.changed()}
        {...(isPlain ? attributesOf(id, label, null) : {})}
      />
      <div ref={host} />
      {!isPlain && <EditorBar controller={controller} />}
      <div class="unseen" role="status">
        {controller.status}
      </div>
    </div>
  )
}

/** The attributes of the text, in a textarea as in CodeMirror. */
function attributesOf(id: string, label: string, shown: Suggestions | null): Record<string, string> {
  return {
    'aria-label': label,
    'aria-autocomplete': 'list',
    spellcheck: 'true',
    autocorrect: 'on',
    autocapitalize: 'sentences',
    ...(shown ? { 'aria-controls': listId(id), 'aria-activedescendant': optionId(id, shown.active) } : {}),
  }
}
