/** One question of the conversation with its answer. */
import { useState } from 'preact/hooks'
import type { ChatCitation, Fact } from '../api/types'
import { useWorkspace } from '../data/use-workspace'
import { tellFailure } from '../shell/act'
import { Act } from '../shell/controls'
import { addressOf } from '../shell/route'
import { say } from '../words/say'
import { ActionList, type ActionListProps } from './ActionList'
import { citationAddress } from './addresses'
import { doubtInWords, ownText, shownCitations, textParts, warningsInWords, wasOnlyRead } from './answer'

interface TurnProps extends ActionListProps {
  readonly isLast: boolean
  /** Puts a question into the box. */
  readonly edit: (question: string) => void
}

export function TurnView(props: TurnProps) {
  const { question, answer, state } = props.turn.value
  const doubt = doubtInWords(answer)
  return (
    <section class="turn">
      <p class="question" dir="auto">
        <span class="unseen">{say`You:`} </span>
        {question}
      </p>
      <div class="answer">
        {answer.text === '' && state === 'asking' && <p class="quiet">{say`Looking …`}</p>}
        <AnswerText turnId={props.turn.value.id} text={ownText(answer)} citations={answer.citations} />
        {doubt !== null && <p class="doubt fine">{doubt}</p>}
        {warningsInWords(answer).map((words) => (
          <p key={words} class="fine">
            {words}
          </p>
        ))}
        <Citations turnId={props.turn.value.id} citations={shownCitations(answer.citations)} />
        <ActionList {...props} />
        <Ending {...props} />
      </div>
    </section>
  )
}

interface CitedProps {
  readonly turnId: string
  readonly citations: readonly ChatCitation[]
}

const quoteId = (turnId: string, n: number) => `quote-${turnId}-${n}`
const focusQuote = (turnId: string, n: number) => document.getElementById(quoteId(turnId, n))?.focus()

/** The text, whose line breaks count, with its marks as links. */
function AnswerText({ turnId, text, citations }: CitedProps & { text: string }) {
  if (text === '') return null
  return (
    <p class="answer-text" dir="auto">
      {textParts(text, citations).map((part, place) =>
        typeof part === 'string' ? part : <Mark key={place} turnId={turnId} citation={part} />,
      )}
    </p>
  )
}

function Mark({ turnId, citation }: { turnId: string; citation: ChatCitation }) {
  const address = citationAddress(citation)
  const label = `[${citation.n}] ${citation.title}`
  if (address !== null)
    return (
      <a class="mark" href={address} aria-label={label}>
        [{citation.n}]
      </a>
    )
  return (
    <button type="button" class="link mark" aria-label={label} onClick={() => focusQuote(turnId, citation.n)}>
      [{citation.n}]
    </button>
  )
}

/** The other side of a flashcard, which a citation does not have: a button reads it. */
function CardSide({ id, onShown }: { id: string; onShown: () => void }) {
  const { api } = useWorkspace()
  const [fact, setFact] = useState<Fact | null>(null)
  async function show(): Promise<void> {
    setFact(await api.call<Fact>({ path: `api/flashcards/facts/${id}` }))
    onShown()
  }
  if (!fact)
    return (
      <p>
        <Act run={() => tellFailure(show())}>{say`Show the answer`}</Act>
      </p>
    )
  return (
    <>
      {fact.back !== null && fact.back !== '' && <blockquote dir="auto">{fact.back}</blockquote>}
      <p>
        <a href={addressOf('study', ['deck', fact.deck_id])}>{say`Open its deck`}</a>
      </p>
    </>
  )
}

const KINDS = { note: '', task: say`task`, fact: say`flashcard` } as const

function Citations({ turnId, citations }: CitedProps) {
  if (citations.length === 0) return null
  return (
    <ol class="citations" aria-label={say`Sources`}>
      {citations.map((citation) => {
        const { n, type, id, title, quote } = citation
        const address = citationAddress(citation)
        const heading = <cite dir="auto">{title}</cite>
        return (
          <li key={n} id={quoteId(turnId, n)} tabIndex={-1}>
            <p>
              <span class="fine">[{n}]</span> {address === null ? heading : <a href={address}>{heading}</a>}{' '}
              <span class="fine">{KINDS[type]}</span>
            </p>
            {quote !== title && <blockquote dir="auto">{quote}</blockquote>}
            {type === 'fact' && <CardSide id={id} onShown={() => focusQuote(turnId, n)} />}
          </li>
        )
      })}
    </ol>
  )
}

/** Why an answer ended early or did too little, with the ways on. */
function Ending({ chat, turn, isLast, edit }: TurnProps) {
  const { state, fault, question, decides, mode, tag, answer } = turn.value
  if (state === 'answered' && mode === 'read' && isLast && wasOnlyRead(answer))
    return (
      <div>
        <button type="button" onClick={() => chat.ask({ question, mode: 'write', tag })}>
          {say`Ask again, and let it change things`}
        </button>
      </div>
    )
  if (state === 'stopped') return <p class="fine">{say`Stopped.`}</p>
  if (state !== 'failed') return null
  return (
    <div class="notice">
      <p>{fault}</p>
      <div class="row">
        {isLast && (
          <button type="button" onClick={() => chat.retry(turn)}>
            {say`Try again`}
          </button>
        )}
        {decides === null && <Act run={() => edit(question)}>{say`Edit the question`}</Act>}
      </div>
    </div>
  )
}
