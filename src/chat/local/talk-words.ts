/**
 * The words of a conversation that only what was said before explains, as patterns for each language: what "it" and "the
 * second one" are, and how questions go on. What can be done with "it" is the grammar's.
 */
import type { TimeLanguage } from '../../lib/civil/languages'

/** The words of one language. All are patterns for the flags `iu`. */
export interface TalkWords {
  readonly please: string
  /** Words for what was mentioned last, the longest first. */
  readonly it: string
  /** Words that say "it" or "of it" together with others, and what they say in full; `{verb}` begins a command. */
  readonly contracted: readonly (readonly [pattern: string, inFull: string])[]
  /** "the second one": what comes before and after the word for a place in a list, and those words, the last place last. */
  readonly place: Readonly<Record<'before' | 'after' | 'number' | 'names', string>>
  /** "Save that as a note"; `{title}` is the name that it may get. */
  readonly saveAnswer: string
  readonly undo: string
  /** "What did you just do?" */
  readonly lately: string
  /** Words that decide, without a code. */
  readonly yesOrNo: string
  /** The beginning of a fragment that goes on from the question before. */
  readonly continues: string
  /** The beginning of a correction, behind a "no". */
  readonly corrects: string
  /** Words before a correction. */
  readonly no: string
  /** The beginning of a question that is whole in itself. */
  readonly asks: string
  /** Words that point at what was said before, and at a person. */
  readonly pointsBack: string
  readonly person: string
}

const ENGLISH: TalkWords = {
  please: 'please',
  it: '(?:(?:this|that|the|the same) (?:note|task|item)|(?:this|that|the) one|it|its|this|that|them)',
  contracted: [],
  place: {
    before: '(?:the )?',
    after: '(?: (?:one|note|task|item))?',
    number: '(?:number|no\\.?|#) ?',
    names: 'first second third fourth fifth sixth seventh eighth ninth tenth last',
  },
  saveAnswer:
    '(?:save|keep|store|put) (?:that|this|it|the answer|your answer|that answer) (?:as|in|into) (?:a|a new|the) note(?: (?:called|named|titled) {title})?|(?:make|take) a note of (?:that|this|it)|note (?:that|this|it) down',
  undo: '(?:undo|revert|take back)(?: (?:that|it|this|the last (?:one|action|change|thing)))?',
  lately:
    'what (?:did|have) (?:i|you|we) just (?:do|done|add(?:ed)?|changed?|created?|deleted?|moved?|made?)|what (?:did you do|have you done)(?: just now| last)?',
  yesOrNo:
    'yes|yes please|yep|yeah|sure|do it|go ahead|confirm|no|nope|no thanks|cancel|cancel (?:it|that)|never ?mind',
  continues: '(?:ok(?:ay)?[, ]+)?and|what about|how about|what of',
  corrects: 'i (?:meant|mean|was (?:asking|talking) about|wanted to know about)',
  no: 'no|nope|sorry|oh|wait|actually',
  asks: 'who|what|when|where|why|how|which|is|are|was|were|do|does|did|has|have|can',
  pointsBack: 'it|its|he|him|his|she|her|hers|they|them|their|there|then|that|this|those|these|that one',
  person: 'he|him|his|she|her|hers|they|them|their',
}

const GERMAN: TalkWords = {
  please: 'bitte',
  it: '(?:(?:dieser?|die|der) (?:notiz|aufgabe)|dies|diese[ns]?|es|das|den|die|sie|ihn)',
  contracted: [
    ['daraus', 'aus dies'],
    ['davon', 'von dies'],
    ['dazu', 'zu dies'],
  ],
  place: {
    before: '(?:de[rn]|die|das) ',
    after: '[ns]?(?: (?:notiz|aufgabe))?',
    number: '(?:die )?nummer ',
    names: 'erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte letzte',
  },
  saveAnswer:
    'speicher[en]? (?:das|dies|es|die antwort) als (?:eine )?(?:neue )?notiz(?: (?:namens|mit dem titel|unter dem titel) {title})?|mache? (?:daraus|davon) eine notiz|notiere? (?:das|dir das)',
  undo: 'mache? (?:das|es|dies|die letzte änderung) (?:wieder )?rückgängig|(?:das )?rückgängig(?: machen)?|nimm (?:das|es) zurück',
  lately:
    'was (?:hast du|habe? ich|haben wir) (?:gerade|eben|zuletzt) (?:gemacht|getan|hinzugefügt|geändert|erstellt|gelöscht)|was hast du (?:gemacht|getan)',
  yesOrNo: 'ja|ja bitte|nein|nein danke|abbrechen|abbruch|mach (?:das|es)|vergiss es|lieber nicht|brich ab',
  continues: 'und was ist mit|was ist mit|wie ist es mit|und',
  corrects: 'ich (?:meine|meinte|wollte (?:sagen|wissen))',
  no: 'nein|nee|doch|sorry|entschuldigung|moment',
  asks: 'wer|wen|wem|was|wann|wo|wohin|warum|wie|welche[rsnm]?|ist|sind|war|hat|haben|kann',
  pointsBack: 'er|sie|ihn|ihm|ihr|ihre[rnms]?|sein|seine[rnms]?|dort|da|davon|dafür',
  person: 'er|sie|ihm|ihr|ihre[rnms]?|sein|seine[rnms]?',
}

const FRENCH: TalkWords = {
  please: "s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp",
  it: '(?:(?:cette|la) (?:note|tâche)|celle-ci|celui-ci|celle-là|celui-là|ça|cela)',
  contracted: [
    ['{verb}-l(?:a|es?)', '{verb} ça'],
    ['l(?:a|es?) {verb}', '{verb} ça'],
    ['{verb}-en', '{verb} de ça'],
    ['{verb}-(?:lui|y)', '{verb} à ça'],
  ],
  place: {
    before: '(?:le|la) ',
    after: '(?: (?:note|tâche))?',
    number: '(?:le )?(?:numéro|n°) ?',
    names:
      'premi(?:er|ère) (?:deuxième|seconde?) troisième quatrième cinquième sixième septième huitième neuvième dixième derni(?:er|ère)',
  },
  saveAnswer:
    '(?:enregistre|sauvegarde|garde)[- ](?:ça|cela|le|la|la réponse|cette réponse) (?:comme|dans|en)(?: une)?(?: nouvelle)? note(?: (?:intitulée|appelée|nommée) {title})?|fais-en une note|prends(?:-en)? note',
  undo: '(?:annule|défais)[- ](?:ça|cela|le|la|la dernière (?:modification|action)|le dernier changement)|reviens en arrière|défais',
  lately:
    "qu'(?:as-tu|ai-je) (?:juste )?(?:fait|ajouté|créé|supprimé)|qu'est-ce que (?:tu viens|je viens) (?:de |d')(?:faire|ajouter|changer|créer|supprimer)",
  yesOrNo: "oui|oui merci|non|non merci|d'accord|vas-y|fais-le|annule|annuler|laisse tomber",
  continues: "et (?:pour|qu'en est-il de)|qu'en est-il de|et",
  corrects: 'je (?:voulais|veux|voulus) (?:dire|parler de|parler du)|je (?:parlais|parle) (?:de|du)|plutôt',
  no: 'non|pardon|désolée?|attends',
  asks: "qui|quoi|que|quand|où|pourquoi|comment|combien|quel(?:le)?s?|est-ce que|qu'est-ce que|est|a",
  pointsBack: 'ils?|elles?|lui|sa|ses|leurs?|ça|cela',
  person: 'ils?|elles?|lui|sa|ses|leurs?',
}

const SPANISH: TalkWords = {
  please: 'por favor',
  it: '(?:(?:es[ae]|est[ae]|la) (?:nota|tarea)|eso|esto|es[ae]|est[ae]|ést[ae]|ell[ao])',
  contracted: [
    ['{verb}l[oa]s?', '{verb} eso'],
    ['{verb}le', '{verb} a eso'],
  ],
  place: {
    before: '(?:el|la) ',
    after: '(?: (?:nota|tarea))?',
    number: '(?:el )?número ',
    names:
      'primer[oa]? segund[oa] tercer[oa]? cuart[oa] quint[oa] sext[oa] séptim[oa] octav[oa] noven[oa] décim[oa] últim[oa]',
  },
  saveAnswer:
    'gu[aá]rda(?:l[oa])?(?: (?:eso|esto|la respuesta))? (?:como|en)(?: una)?(?: nueva)? nota(?: (?:llamada|titulada|con el título) {title})?|haz una nota (?:de|con) (?:eso|esto)|anota eso',
  undo: 'desh[aá]z(?:l[oa])?(?: (?:eso|esto|el último cambio|la última acción))?|revi[eé]rte(?:l[oa]| eso)|deshacer',
  lately: '¿?qué (?:has hecho|hiciste|(?:acabas|acabo) de (?:hacer|añadir|cambiar|crear|borrar))',
  yesOrNo: 's[ií]|s[ií],? por favor|no|no,? gracias|vale|claro|hazlo|adelante|cancela|cancelar|déjalo|olvídalo',
  continues: '¿?y (?:qué hay de|para|con)|¿?qué (?:hay|pasa|tal) (?:de|con)|¿?y',
  corrects: 'quer[ií]a decir|quise decir|me refer[ií]a a|hablaba de',
  no: 'no|perdón|espera',
  asks: '¿?(?:quién|qué|cuándo|dónde|por qué|cómo|cuánt[oa]s?|cuál(?:es)?|es|está|son|hay|tiene)',
  pointsBack: 'sus?|él|eso|allí|ahí',
  person: 'sus?|él',
}

/** The words of all languages. */
export const TALK_WORDS: Readonly<Record<TimeLanguage, TalkWords>> = {
  ...{ en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH },
}

/** Joins the same words of all languages into one pattern without a group of its own. */
export const joinWords = (pick: (words: TalkWords) => string): string =>
  Object.values(TALK_WORDS)
    .map((words) => `(?:${pick(words)})`)
    .join('|')
