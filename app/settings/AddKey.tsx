import { useState } from 'preact/hooks'
import { UnreadableKeys } from '../../public/key-file.js'
import { useWorkspace } from '../data/use-workspace'
import { keys } from '../data/workspace'
import { say } from '../words/say'
import { addKeys } from './key-actions'
import { Section } from './Section'

interface Props {
  /** Whether the key opens another workspace: called before it does, and once it is known. */
  readonly onChoose?: (isOther: boolean) => void
}

/** A field for a key that someone has, and for the file of one. */
export function AddKey({ onChoose = () => {} }: Props) {
  const { key } = useWorkspace()
  const [text, setText] = useState('')
  const [fault, setFault] = useState('')
  const add = (given: string) => {
    setFault('')
    try {
      onChoose(true)
      addKeys(given, '')
      // One that was in use before opens nothing.
      onChoose(keys.chosen?.key !== key)
      setText('')
    } catch (error) {
      onChoose(false)
      if (!(error instanceof UnreadableKeys)) throw error
      setFault(error.message)
    }
  }
  return (
    <Section title={say`Add a key you have`}>
      <form
        class="joined"
        onSubmit={(event) => {
          event.preventDefault()
          add(text)
        }}
      >
        <input
          aria-label={say`Key, or the text of a key file`}
          aria-invalid={fault !== ''}
          aria-describedby="add-key-fault"
          placeholder="satchel_…"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">{say`Add`}</button>
        <label class="button">
          {say`Open a key file`}
          <input
            type="file"
            class="unseen"
            accept=".json,application/json"
            onChange={async (event) => {
              const field = event.currentTarget
              const content = await field.files?.[0]?.text()
              field.value = '' // So that the same file can be opened again.
              if (content !== undefined) add(content)
            }}
          />
        </label>
      </form>
      <p class="fault" role="alert" id="add-key-fault">
        {fault}
      </p>
    </Section>
  )
}
