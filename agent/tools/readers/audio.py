"""Sound recordings: what is said in them, if a speech model is installed."""

import io
from collections.abc import Iterator

from agent.tools.readers.model import Ask, Block, File, Unreadable


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The transcript, a line a segment with its time.

    Raises:
        Unreadable: faster-whisper or its model is not there; the message says what to install.
    """
    try:
        from faster_whisper import WhisperModel
    except ImportError:
        raise Unreadable(
            "unavailable",
            "is a sound recording, and nothing here can listen: `pip install faster-whisper` "
            "installs the optional package that can.",
        ) from None
    try:
        model = WhisperModel(
            ask.speech_model,
            device="cpu",
            compute_type="int8",
            download_root=ask.models_dir or None,
        )
    except Exception as error:
        raise Unreadable(
            "unavailable",
            f"is a sound recording, and the speech model '{ask.speech_model}' could not be loaded "
            f"({type(error).__name__}): it is fetched once from the Hugging Face Hub, or "
            "AGENT_SPEECH_MODEL names a folder that holds it.",
        ) from error
    segments, about = model.transcribe(io.BytesIO(file.data))
    yield Block(f"Transcript ({about.duration:.0f} seconds, language {about.language}):\n\n")
    heard = False
    for segment in segments:
        heard = True
        yield Block(f"[{_clock(segment.start)}] {segment.text.strip()}\n")
    if not heard:
        yield Block("[no speech was heard in it]\n")


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
