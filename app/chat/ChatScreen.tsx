/** A conversation over what is stored: questions, answers with their sources, and what was done. */
import { useComputed } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { draftOf } from '../data/drafts'
import { useWorkspace } from '../data/use-workspace'
import { type Action, useActions } from '../shell/actions'
import { Act, Button, Header } from '../shell/controls'
import { addressOf, go, route } from '../shell/route'
import { say } from '../words/say'
import { type Conversation, conversationOf } from './conversation'
import { PastConversations } from './PastConversations'
import { suggestions } from './suggestions'
import { TurnView } from './TurnView'

/** What is typed. As a state of the screen it would have the log drawn again at each key. */
const draft = draftOf('satchel.chat.text ')

/** Pixels from the end of the page within which one is at its end. */
const END_PX = 64

export function Screen() {
  const workspace = useWorkspace()
  const chat = conversationOf(workspace)
  const box = useRef<HTMLTextAreaElement>(null)
  const log = useRef<HTMLDivElement>(null)
  const [mayChange, setMayChange] = useState(true)
  const [tag, setTag] = useState<string | null>(null)
  const toEnd = useEndKept(log)
  const { parts, query } = route.value
  const asked = query.get('q')
  const [named] = parts

  function ask(question: string, mode: 'read' | 'write' = mayChange ? 'write' : 'read'): boolean {
    const isTaken = question.trim() !== '' && chat.ask({ question: question.trim(), mode, tag })
    if (!isTaken) return false
    toEnd()
    toBox()
    goToOpen(chat)
    return true
  }
  /** On a touch screen its keyboard would cover the page. */
  const toBox = () => {
    if (matchMedia('(pointer: fine)').matches) box.current?.focus()
  }
  // Most buttons go when they are pressed.
  const leaveGone = ({ target }: Event) => {
    if (target instanceof Element && target.closest('button:not(.link)')) toBox()
  }
  const startNew = () => {
    chat.clear()
    go(addressOf('chat'))
    toBox()
  }
  const edit = (question: string) => {
    bringBack(question)
    box.current?.focus()
  }

  // With the screen, not after it: the first key pressed is typed into the box.
  useLayoutEffect(toBox, [])
  useEffect(() => {
    if (named === undefined) return chat.turns.peek().length > 0 ? goToOpen(chat) : undefined
    chat.open(named).then((isThere) => isThere || go(addressOf('chat'), { replace: true }))
  }, [named])
  useEffect(() => {
    if (asked === null) return
    go(addressOf('chat'), { replace: true })
    // Opening a link changes nothing: it may come from anywhere.
    if (!ask(asked, 'read')) bringBack(asked)
  }, [asked])
  useChatActions({ chat, box, startNew })

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a key that presses one of its buttons clicks it
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears of its buttons
    <div class="column chat" onClick={leaveGone}>
      <Header title={say`Chat`}>
        {chat.turns.value.length > 0 && <Act run={startNew}>{say`New conversation`}</Act>}
      </Header>
      <PastConversations key={chat.id.value} chat={chat} startNew={startNew} />
      <div ref={log} class="log" role="log" aria-label={say`Conversation`} aria-live="off">
        {chat.turns.value.map((turn, place) => (
          <TurnView key={turn.peek().id} {...{ chat, turn, edit, isLast: place === chat.turns.value.length - 1 }} />
        ))}
        {chat.turns.value.length === 0 && <Beginning ask={ask} />}
      </div>
      <div class="unseen" role="status">
        {chat.announced.value}
      </div>
      <Composer
        {...{ chat, box }}
        send={() => {
          if (ask(draft.text.peek())) draft.change('')
        }}
      >
        <label>
          <input type="checkbox" checked={mayChange} onChange={() => setMayChange(!mayChange)} />{' '}
          {say`May change things`}
        </label>
        <TagChoice tag={tag} setTag={setTag} />
      </Composer>
    </div>
  )
}

/** Puts a question into the box, below what is typed there. */
function bringBack(question: string): void {
  const typed = draft.text.peek().trimEnd()
  draft.change(typed === '' ? question : `${typed}\n${question}`)
}

/** Names the open conversation in the address, so that a reload shows it again. */
const goToOpen = ({ id }: Conversation) => go(addressOf('chat', [id.peek()]), { replace: true })

interface Doing {
  readonly chat: Conversation
  readonly box: RefObject<HTMLTextAreaElement | null>
  readonly startNew: () => void
}

function useChatActions({ chat, box, startNew }: Doing): void {
  const actions = useMemo<readonly Action[]>(
    () => [
      { title: say`Write to the chat`, keys: 'i', run: () => box.current?.focus() },
      { title: say`Stop the answer`, keys: 'Escape', run: chat.stop },
      { title: say`New conversation`, run: startNew },
    ],
    [chat],
  )
  useActions(actions)
}

/**
 * Keeps the page at its end while the log grows, unless the person has scrolled up. Returns what goes there in any case.
 */
function useEndKept(log: RefObject<HTMLElement | null>): () => void {
  const isAtEnd = useRef(true)
  useEffect(() => {
    let lastY = scrollY
    const onScroll = () => {
      const isNear = document.documentElement.scrollHeight - innerHeight - scrollY < END_PX
      // The page may have grown since it was scrolled to its end: only who goes up leaves it.
      if (isNear || scrollY < lastY) isAtEnd.current = isNear
      lastY = scrollY
    }
    const growth = new ResizeObserver(() => {
      if (isAtEnd.current) scrollTo(0, document.documentElement.scrollHeight)
    })
    if (log.current) growth.observe(log.current)
    addEventListener('scroll', onScroll, { passive: true })
    return () => {
      growth.disconnect()
      removeEventListener('scroll', onScroll)
    }
  }, [])
  return () => {
    isAtEnd.current = true
  }
}

interface ComposerProps {
  readonly chat: Conversation
  readonly box: RefObject<HTMLTextAreaElement | null>
  readonly send: () => void
  /** What applies to the next question. */
  readonly children: ComponentChildren
}

function Composer({ chat, box, send, children }: ComposerProps) {
  const text = draft.text.value
  const isAsking = chat.isAsking.value
  function onKeyDown(event: KeyboardEvent) {
    if (event.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) send()
    else if (event.key === 'Escape' && isAsking) chat.stop()
    else if (event.key === 'ArrowUp' && text === '' && chat.turns.value.length > 0) draft.change(lastQuestion(chat))
    else return
    event.preventDefault()
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div class="composer-box">
        <textarea
          ref={box}
          rows={1}
          dir="auto"
          aria-label={say`Ask, or say what to do`}
          placeholder={say`Ask, or say what to do`}
          value={text}
          onInput={(event) => draft.change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {isAsking ? (
          <Button run={chat.stop}>{say`Stop`}</Button>
        ) : (
          <button type="submit" class="primary" aria-disabled={text.trim() === ''}>
            {say`Send`}
          </button>
        )}
      </div>
      <div class="composer-options">{children}</div>
    </form>
  )
}

/** The last question that the person wrote; '' if there is none. */
const lastQuestion = ({ turns }: Conversation): string =>
  turns.value.map(({ value }) => value).findLast(({ decides }) => decides === null)?.question ?? ''

/** What the next question is about: everything, or what has a tag. */
function TagChoice({ tag, setTag }: { tag: string | null; setTag: (tag: string | null) => void }) {
  const { shown } = useWorkspace().copy
  const tags = useComputed(() => [...new Set([...shown.note.value.values()].flatMap(({ tags }) => tags))].sort()).value
  if (tags.length === 0) return null
  return (
    <select
      aria-label={say`Limit to a tag`}
      value={tag ?? ''}
      onChange={(event) => setTag(event.currentTarget.value || null)}
    >
      <option value="">{say`All tags`}</option>
      {tags.map((each) => (
        <option key={each} value={each}>
          #{each}
        </option>
      ))}
    </select>
  )
}

/** What can be asked, while nothing was. */
function Beginning({ ask }: { ask: (question: string) => void }) {
  const { copy, sync } = useWorkspace()
  const questions = useComputed(() => suggestions(copy)).value
  return (
    <>
      <p>
        {say`Ask about your notes, tasks and cards: answers quote them. Or say what to do, such as “remind me to call Ann tomorrow at 9am”. What deletes or replaces something asks you first.`}
      </p>
      {questions.length === 0 ? (
        <p class="quiet">{sync.unread.value ?? say`Nothing is stored yet. Write a note or a task first, or ask:`}</p>
      ) : (
        <h2>{say`For example`}</h2>
      )}
      <ul class="suggestions">
        {[...questions, say`What can you do?`].map((question) => (
          <li key={question}>
            <button type="button" class="link" dir="auto" onClick={() => ask(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
