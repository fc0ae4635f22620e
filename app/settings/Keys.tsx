/** The keys of this browser: which one is in use, and what can be done with each. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { copy } from '../../public/dom.js'
import { maskKey, troubleInWords } from '../../public/key-format.js'
import { type KeptKey, NAME_LIMIT, tidyName } from '../../public/key-store.js'
import { inWords } from '../api/client'
import { countUnsent } from '../data/forgotten-copies'
import { useWorkspace } from '../data/use-workspace'
import { keptKeys, keys } from '../data/workspace'
import { Act, Button, Fault } from '../shell/controls'
import { say, sayWith } from '../words/say'
import { AddKey } from './AddKey'
import { Confirm } from './Confirm'
import { Install } from './Install'
import { downloadKey, makeNewKey, removeKey } from './key-actions'
import { leaveItem } from './leave-item'
import { Section } from './Section'

/** Whether another workspace was just opened from here: the screen starts again, and the focus goes to its key. */
let wasChosenHere = false

function use(key: string | null): void {
  wasChosenHere = true
  keys.choose(key)
}

export function Keys() {
  const { key: open } = useWorkspace()
  return (
    <>
      {keys.trouble && <p class="notice">{troubleInWords(keys.trouble, say)}</p>}
      <Section title={say`Keys of this browser`}>
        <ul class="settings-list">
          {keptKeys.value.map((kept) => (
            <KeyItem key={kept.key} kept={kept} isOpen={kept.key === open} />
          ))}
          <li class="key">
            <div>
              <KeyName name={say`Without a key`} isOpen={open === null} />
              <p class="quiet">{say`The scratch space of your network address, which others there share.`}</p>
            </div>
            {open !== null && (
              <button type="button" aria-label={say`Use the scratch space`} onClick={() => use(null)}>
                {say`Use`}
              </button>
            )}
          </li>
        </ul>
        <p class="fine quiet">
          {sayWith`A key is all there is to a workspace: whoever has it can read and write there, and nobody can recover a lost one. The ${<a href="../">{say`key page`}</a>} shows a key as a code for a phone, and connects programs.`}
        </p>
      </Section>
      <NewKey />
      <AddKey onChoose={(isOther) => (wasChosenHere = isOther)} />
      <Install />
    </>
  )
}

function KeyName({ name, isOpen }: { name: string; isOpen: boolean }) {
  const ref = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (!isOpen || !wasChosenHere) return
    wasChosenHere = false
    ref.current?.focus()
  }, [])
  return (
    <h3 ref={ref} tabIndex={-1}>
      <bdi>{name}</bdi> {isOpen && <span class="in-use">{say`in use`}</span>}
    </h3>
  )
}

function KeyItem({ kept, isOpen }: { kept: KeptKey; isOpen: boolean }) {
  const [isRenaming, setRenaming] = useState(false)
  const [isShown, setShown] = useState(false)
  const [isRemoving, setRemoving] = useState(false)
  const [copied, setCopied] = useState('')
  const rename = useRef<HTMLButtonElement>(null)
  async function copyKey() {
    if (await copy(kept.key)) {
      keys.markSaved([kept.key])
      setCopied(say`Copied.`)
    } else {
      setShown(true)
      setCopied(say`This browser does not let the page copy. The key is shown: copy it yourself.`)
    }
  }
  const endRenaming = () => {
    setRenaming(false)
    rename.current?.focus()
  }
  return (
    <li class="key">
      <div>
        <KeyName name={kept.name} isOpen={isOpen} />
        <code class={isShown ? 'whole' : 'quiet'} translate={false}>
          {isShown ? kept.key : maskKey(kept.key)}
        </code>
        {!kept.saved && <p class="never-copied">{say`Never copied: if this browser forgets it, it is gone.`}</p>}
      </div>
      {!isOpen && (
        <button type="button" aria-label={say`Use ${kept.name}`} onClick={() => use(kept.key)}>
          {say`Use`}
        </button>
      )}
      <fieldset class="row actions" aria-label={kept.name}>
        <button type="button" class={kept.saved ? 'link' : 'primary'} onClick={copyKey}>
          {say`Copy`}
        </button>
        <button type="button" class="link" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {say`Show`}
        </button>
        <Act run={() => downloadKey(kept)}>{say`Download`}</Act>
        <button type="button" class="link" ref={rename} onClick={() => setRenaming(true)}>
          {say`Rename`}
        </button>
        <Act run={() => setRemoving(true)}>{say`Remove`}</Act>
        <span class="fine quiet" role="status">
          {copied}
        </span>
      </fieldset>
      {isRenaming && <Renaming kept={kept} onEnd={endRenaming} />}
      {isRemoving && <Removing kept={kept} isOpen={isOpen} onClose={() => setRemoving(false)} />}
    </li>
  )
}

function Renaming({ kept, onEnd }: { kept: KeptKey; onEnd: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  return (
    <form
      class="joined"
      onSubmit={(event) => {
        event.preventDefault()
        keys.rename(kept.key, tidyName(field.current?.value ?? '', kept.name))
        onEnd()
      }}
      onKeyDown={(event) => event.key === 'Escape' && onEnd()}
    >
      <input
        ref={field}
        aria-label={say`New name for ${kept.name}`}
        defaultValue={kept.name}
        maxlength={2 * NAME_LIMIT}
        autocomplete="off"
        dir="auto"
      />
      <button type="submit">{say`Save`}</button>
      <Button run={onEnd}>{say`Cancel`}</Button>
    </form>
  )
}

function Removing({ kept, isOpen, onClose }: { kept: KeptKey; isOpen: boolean; onClose: () => void }) {
  const { outbox } = useWorkspace()
  const [stored, setStored] = useState(0)
  useLayoutEffect(() => void countUnsent(kept.key).then((count) => setStored(count ?? 0)), [])
  const waiting = Math.max(stored, isOpen ? outbox.waiting.value : 0)
  const remove = () => {
    wasChosenHere = isOpen
    void removeKey(kept).then(() => isOpen || leaveItem(null))
  }
  return (
    <Confirm title={say`Remove “${kept.name}”?`} action={say`Remove`} onConfirm={remove} onClose={onClose}>
      {kept.saved
        ? say`Unless you still have a copy of the key, nobody can reach its workspace again.`
        : say`You have never copied this key. Without it nobody can reach its workspace again.`}{' '}
      {waiting === 1 && say`A change has not reached the server yet.`}
      {waiting > 1 && say`${waiting} changes have not reached the server yet.`}{' '}
      {say`What this browser keeps of the workspace is deleted, too. On the server nothing changes.`}
    </Confirm>
  )
}

function NewKey() {
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  async function submit(event: Event) {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setFault('')
    wasChosenHere = true
    try {
      await makeNewKey(name)
    } catch (error) {
      wasChosenHere = false
      setFault(inWords(error))
      setBusy(false)
    }
  }
  return (
    <Section title={say`Make a new key`}>
      <p class="quiet">{say`For another workspace, which is empty at first.`}</p>
      <form class="joined" onSubmit={submit}>
        <input
          aria-label={say`Name for the new key`}
          placeholder={say`A name, such as Work`}
          autocomplete="off"
          dir="auto"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" aria-disabled={isBusy}>
          {say`Make a key`}
        </button>
      </form>
      <Fault of={fault} />
    </Section>
  )
}
