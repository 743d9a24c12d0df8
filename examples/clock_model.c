// What the assembly in examples/clock.c does, in C: `rhumb check examples/clock.c --model examples/clock_model.c`
unsigned tick(unsigned now) { return now + 1; }
