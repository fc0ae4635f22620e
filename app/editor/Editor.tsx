import { useSignalEffect } from '@preact/signals'
import { type RefObject, render } from 'preact'
import { useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CodeMirrorSurface, openCodeMirror } from './codemirror'
import { Controller, type Owner } from './controller'
import { normalizeLineEnds } from './outside'
import { listId, optionId, SuggestionList } from './SuggestionList'
import type { Suggestions } from './suggestions'
import { createTextareaSurface } from './textarea'

/** What the owner of an editor can do with it. */
export interface EditorHandle {
  /** Moves the focus into the text. */
  focus(): void
  /** Inserts Markdown in place of the selection, or at the caret. */
  insert(markdown: string): void
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
  readonly handle?: RefObject<EditorHandle | null>
}

/** CodeMirror is for a mouse and a window at least this wide; phones do better with a textarea. */
const DESKTOP = '(pointer: fine) and (min-width: 800px)'

/**
 * Edits Markdown: in a textarea, which is there at once, and on desktops in CodeMirror as soon as it is loaded. What was
 * typed until then stays, with the caret and the focus; only the undo key does not go back beyond. Each note needs an
 * editor of its own (a `key`): a file that waits when the editor goes is still put into its text, and reported.
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
    const stopListening = controller.listenTo(container.current)
    const [plain, place] = [area.current, host.current]
    controller.surface = createTextareaSurface(plain)
    const stopLoading = loadCodeMirror((openCodeMirror) =>
      controller.whenNotComposing(() => {
        if (!place.isConnected) return
        const rich = openCodeMirror(place, {
          text: plain.value,
          selection: controller.surface.readSelection(),
          attributes: () => attributesOf(id, latest.current.label, controller.suggestions.peek()),
          changed: () => controller.changed(),
        })
        if (controller.surface.hasFocus()) rich.focus()
        controller.surface = rich
        codeMirror.current = rich
        setPlain(false)
        render(<SuggestionList id={id} suggestions={controller.suggestions} />, rich.titles)
      }),
    )
    return () => {
      stopLoading()
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
    insert: (markdown) => controller.insert(markdown),
    insertFiles: (files, isAtEnd) => controller.insertFiles(files, isAtEnd),
  }))

  const { suggestions, status } = controller
  return (
    <div class="editor" ref={container}>
      <textarea
        ref={area}
        hidden={!isPlain}
        dir="auto"
        defaultValue={firstText}
        {...(isPlain ? attributesOf(id, label, suggestions.value) : {})}
      />
      <div ref={host} />
      {isPlain && <SuggestionList id={id} suggestions={suggestions} />}
      <div class="unseen" role="status">
        {status}
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

/**
 * Calls `use` with CodeMirror once it is loaded, on desktops. If it cannot be loaded, as without network, the textarea
 * stays. Returns what makes it do nothing any more.
 */
function loadCodeMirror(use: (open: typeof openCodeMirror) => void): () => void {
  let isWanted = matchMedia(DESKTOP).matches
  if (isWanted)
    import('./codemirror').then(
      ({ openCodeMirror }) => {
        if (isWanted) use(openCodeMirror)
      },
      () => {},
    )
  return () => {
    isWanted = false
  }
}
